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
export declare function begun(): Kept;
/** The session of this browser, which all of its tabs have. */
export declare class SharedSession {
    #private;
    /** Under which name the browser keeps it. */
    readonly key: string;
    /** `changed` is called when the session has begun or ended, in this tab or in another one. */
    constructor(key: string, items: Items, locks: Locks, changed: () => void);
    read(): Kept | null;
    write<K extends Kept | null>(kept: K): K;
    /** Runs a task while no other tab runs one. */
    alone<T>(task: () => Promise<T> | T): Promise<T>;
}
/** In place of `navigator.locks`: runs tasks one at a time in this tab. */
export declare function locksOfOneTab(): Locks;
