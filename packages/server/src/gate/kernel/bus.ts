/**
 * The subject of a message. `resolved`: an intent is no longer pending (its id). `sealed`: events of a project were
 * sealed (its id). `keys`: signing keys changed (a key's id).
 */
export type Topic = 'resolved' | 'sealed' | 'keys';

/**
 * Lets gates on one database tell each other about changes. The bus speeds things up and decides nothing: a message may
 * be lost, arrive twice or be forged. Listeners read the database themselves, and also poll it now and then.
 */
export interface Bus {
  /** Whether other gates may exist at all. False: nobody listens, and nobody needs to poll. */
  readonly shared: boolean;
  /** Sends a message to the other gates. Call it after the commit of the change. Never throws, never waits. */
  tell(topic: Topic, id: string): void;
  /**
   * Calls `listener` with messages of other gates. `listener` must not throw. Returns a function that stops the calls.
   */
  hear(topic: Topic, listener: (id: string) => void): () => void;
  /**
   * Calls `listener` whenever messages may have been missed. `listener` must not throw. Returns a function that stops
   * the calls.
   */
  onMissed(listener: () => void): () => void;
}

const NOTHING_TO_STOP = (): void => {};

/** The bus of a gate that does not share its database. */
export const ALONE: Bus = {
  shared: false,
  tell() {},
  hear: () => NOTHING_TO_STOP,
  onMissed: () => NOTHING_TO_STOP,
};
