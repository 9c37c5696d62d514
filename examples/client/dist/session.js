/** What the client stores about a session that begins. */
export function begun() {
    return { session: `${Date.now()} ${Math.random()}` };
}
/** The session of this browser, which all of its tabs have. */
export class SharedSession {
    #items;
    #locks;
    #changed;
    /** Under which name the browser keeps it. */
    key;
    /** `changed` is called when the session has begun or ended, in this tab or in another one. */
    constructor(key, items, locks, changed) {
        this.key = key;
        this.#items = items;
        this.#locks = locks;
        this.#changed = changed;
        globalThis.addEventListener?.("storage", ({ key, oldValue, newValue }) => {
            if (key === null || (key === this.key && read(oldValue)?.session !== read(newValue)?.session))
                changed();
        });
    }
    read() {
        return read(this.#items.getItem(this.key));
    }
    write(kept) {
        const isOther = this.read()?.session !== kept?.session;
        if (kept)
            this.#items.setItem(this.key, JSON.stringify(kept));
        else
            this.#items.removeItem(this.key);
        if (isOther)
            queueMicrotask(this.#changed);
        return kept;
    }
    /** Runs a task while no other tab runs one. */
    alone(task) {
        return this.#locks.request(this.key, task);
    }
}
const read = (text) => JSON.parse(text ?? "null");
/** In place of `navigator.locks`: runs tasks one at a time in this tab. */
export function locksOfOneTab() {
    let last = Promise.resolve();
    return {
        request(_name, task) {
            const turn = last.then(() => task(), () => task());
            last = turn;
            return turn;
        },
    };
}
