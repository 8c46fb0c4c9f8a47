// The page's end of a worker: every question is a promise. A worker that does not answer can be thrown away.

export class Engine {
    constructor(start) {
        this.start = start;
        this.begin();
    }

    begin() {
        this.waiting = new Map();
        this.last = 0;
        this.worker = this.start.worker();
        this.worker.onmessage = ({data: {id, result, error, progress}}) => {
            const {resolve, reject, tell} = this.waiting.get(id);
            if (progress !== undefined)
                return tell?.(progress);
            this.waiting.delete(id);
            return error ? reject(Object.assign(new Error(error.message), {diagnostics: error.diagnostics})) : resolve(result);
        };
        this.worker.onerror = (event) => this.fail(new Error(event.message ?? 'the worker has stopped'));
        this.ready = this.ask('init', {wasm: this.start.wasm});
        this.ready.catch(() => {}); // whoever waits for it hears of it
        if (this.files)
            this.ask('files', {files: this.files}).catch(() => {});
    }

    ask(operation, args = {}, tell = null) {
        return new Promise((resolve, reject) => {
            const id = ++this.last;
            this.waiting.set(id, {resolve, reject, tell});
            this.worker.postMessage({id, operation, args});
        });
    }

    // Only told of: the worker reads what it needs, when it needs it.
    give(files) {
        this.files = files;
        return this.ask('files', {files});
    }

    fail(error) {
        for (const {reject} of this.waiting.values())
            reject(error);
        this.waiting.clear();
    }

    // Stops whatever it does; what was open is gone.
    restart() {
        this.worker.terminate();
        this.fail(new Error('cancelled'));
        this.begin();
    }
}
