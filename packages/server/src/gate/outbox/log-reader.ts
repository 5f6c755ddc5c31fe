/** Follows the sealed log of every project and puts what must be sent into the outbox. */
export interface LogReader {
  /** Names the reader in the log when it fails. */
  readonly what: string;
  /** Whether it reads as soon as this gate seals something, or only once a second. */
  readonly everySeal: boolean;
  /**
   * Reads everything that is sealed. Yields after each step, so that the outbox can send due deliveries, or stop.
   *
   * @param atOnce Leaves nothing for later.
   */
  read(atOnce: boolean): AsyncIterable<unknown>;
}
