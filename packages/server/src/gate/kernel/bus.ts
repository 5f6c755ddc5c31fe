/**
 * What a message is about: `resolved`: an intent is pending no more (its id); `sealed`: events of a project were sealed
 * (its id); `keys`: signing keys changed (a key's id).
 */
export type Topic = 'resolved' | 'sealed' | 'keys';

/**
 * How gates on one database tell one another that there is something to look at. It hastens and decides nothing: a
 * message may be lost, come twice, or be somebody's invention. Whoever hears one looks for themselves, and looks now
 * and then without having heard.
 */
export interface Bus {
  /** Whether there may be other gates at all; false: nobody hears, and nobody needs to look unasked. */
  readonly shared: boolean;
  /** Tells the other gates, soon. To be called after the commit of what it tells of; never throws, never waits. */
  tell(topic: Topic, id: string): void;
  /** Calls `listener` with what other gates tell. It must not throw. Answers how to stop. */
  hear(topic: Topic, listener: (id: string) => void): () => void;
  /** Calls `listener` whenever messages may have been missed. It must not throw. Answers how to stop. */
  onMissed(listener: () => void): () => void;
}

const NOTHING_TO_STOP = (): void => {};

/** The bus of a gate that has its database to itself. */
export const ALONE: Bus = {
  shared: false,
  tell() {},
  hear: () => NOTHING_TO_STOP,
  onMissed: () => NOTHING_TO_STOP,
};
