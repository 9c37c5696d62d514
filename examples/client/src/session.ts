/** What the client needs of `localStorage` and `sessionStorage`. */
export type Items = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** What the client needs of `navigator.locks`. */
export interface Locks {
  request<T>(name: string, task: () => Promise<T> | T): Promise<T>;
}

/** What the browser keeps of a session: with cookies `session` alone, which only tells one session from the next. */
export interface Kept {
  session: string;
  accessToken?: string;
  refreshToken?: string;
}

/** What the client stores about a session that begins. */
export function begun(): Kept {
  return { session: `${Date.now()} ${Math.random()}` };
}

/** The session of this browser, which all of its tabs have. */
export class SharedSession {
  #items: Items;
  #locks: Locks;
  #changed: () => void;
  /** Under which name the browser keeps it. */
  readonly key: string;

  /** `changed` is called when the session has begun or ended, in this tab or in another one. */
  constructor(key: string, items: Items, locks: Locks, changed: () => void) {
    this.key = key;
    this.#items = items;
    this.#locks = locks;
    this.#changed = changed;
    globalThis.addEventListener?.("storage", ({ key, oldValue, newValue }) => {
      if (key === null || (key === this.key && read(oldValue)?.session !== read(newValue)?.session)) changed();
    });
  }

  read(): Kept | null {
    return read(this.#items.getItem(this.key));
  }

  write<K extends Kept | null>(kept: K): K {
    const isOther = this.read()?.session !== kept?.session;
    if (kept) this.#items.setItem(this.key, JSON.stringify(kept));
    else this.#items.removeItem(this.key);
    if (isOther) queueMicrotask(this.#changed);
    return kept;
  }

  /** Runs a task while no other tab runs one. */
  alone<T>(task: () => Promise<T> | T): Promise<T> {
    return this.#locks.request(this.key, task);
  }
}

const read = (text: string | null): Kept | null => JSON.parse(text ?? "null");

/** In place of `navigator.locks`: runs tasks one at a time in this tab. */
export function locksOfOneTab(): Locks {
  let last: Promise<unknown> = Promise.resolve();
  return {
    request<T>(_name: string, task: () => Promise<T> | T): Promise<T> {
      const turn = last.then(() => task(), () => task());
      last = turn;
      return turn;
    },
  };
}
