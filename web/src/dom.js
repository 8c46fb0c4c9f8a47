// Elements in one line each.
export function make(tag, properties = {}, ...children) {
    const element = document.createElement(tag);
    for (const [key, value] of Object.entries(properties)) {
        if (key.startsWith('on'))
            element.addEventListener(key.slice(2), value);
        else if (key in element && !key.startsWith('aria') && key !== 'role' && key !== 'list')
            element[key] = value;
        else
            element.setAttribute(key, value);
    }
    element.append(...children.filter((child) => child !== null && child !== undefined));
    return element;
}

export const byId = (id) => document.getElementById(id);

// A button that stays down.
export function toggle(text, pressed, tell) {
    const button = make('button', {type: 'button', 'aria-pressed': String(pressed)}, text);
    button.addEventListener('click', () => {
        const now = button.getAttribute('aria-pressed') !== 'true';
        button.setAttribute('aria-pressed', String(now));
        tell(now);
    });
    return button;
}

export function choice(label, entries, tell) {
    const select = make('select', {'aria-label': label}, ...entries.map(([value, text]) => make('option', {value}, text)));
    select.addEventListener('change', () => tell(select.value));
    return select;
}

// Tabs that arrow keys go through.
export function tabs(list, panels, entries, onShow) {
    const buttons = [], show = (name) => {
        for (const [button, entry] of buttons) {
            button.setAttribute('aria-selected', String(entry.name === name));
            button.tabIndex = entry.name === name ? 0 : -1;
            entry.panel.hidden = entry.name !== name;
        }
        onShow(name);
    };
    for (const entry of entries) {
        const button = make('button', {type: 'button', role: 'tab', id: `tab-${entry.name}`, 'aria-controls': `panel-${entry.name}`}, entry.text);
        entry.panel.id = `panel-${entry.name}`;
        entry.panel.setAttribute('role', 'tabpanel');
        entry.panel.setAttribute('aria-labelledby', button.id);
        entry.panel.tabIndex = 0;
        button.addEventListener('click', () => show(entry.name));
        button.addEventListener('keydown', (event) => {
            const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
            if (!step)
                return;
            event.stopPropagation();
            const next = buttons[(buttons.findIndex(([other]) => other === button) + step + buttons.length) % buttons.length];
            next[0].focus();
            show(next[1].name);
        });
        buttons.push([button, entry]);
        list.append(button);
        panels.append(entry.panel);
    }
    return show;
}
