/** Follows the sealed log of every project and puts what must be sent into the outbox. */
export interface LogReader {
  /** Names the reader in the gate's own log when it fails. */
  readonly what: string;
  /** Whether it reads as soon as this gate seals something, or only once a second. */
  readonly everySeal: boolean;
  /**
   * The steps that read everything sealed. Between two of them, the outbox can send due deliveries, or stop.
   *
   * @param atOnce Leaves nothing for later.
   */
  read(atOnce: boolean): AsyncIterable<ReadingStep>;
}

/** A step that fails is done again in the next round. It keeps no other step waiting. */
interface ReadingStep {
  /** Null: it is not about one project. */
  projectId: string | null;
  run(): Promise<unknown>;
}
