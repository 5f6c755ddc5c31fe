/** Follows the sealed log of every project and keeps in the outbox what is to be sent of it. */
export interface LogReader {
  /** For the log, when it fails. */
  readonly what: string;
  /** Whether it reads when something was sealed here, or only once a second. */
  readonly everySeal: boolean;
  /**
   * Reads all that is sealed; yields after each step, for somebody to send what is due, or to stop.
   *
   * @param atOnce leaves nothing for later
   */
  read(atOnce: boolean): AsyncIterable<unknown>;
}
