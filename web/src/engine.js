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
        this.worker.onmessage = ({data: {id, result, error}}) => {
            const {resolve, reject} = this.waiting.get(id);
            this.waiting.delete(id);
            if (error)
                reject(Object.assign(new Error(error.message), {diagnostics: error.diagnostics}));
            else
                resolve(result);
        };
        this.worker.onerror = (event) => this.fail(new Error(event.message ?? 'the worker has stopped'));
        this.ready = this.ask('init', {wasm: this.start.wasm});
    }

    ask(operation, args = {}) {
        return new Promise((resolve, reject) => {
            const id = ++this.last;
            this.waiting.set(id, {resolve, reject});
            this.worker.postMessage({id, operation, args});
        });
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
