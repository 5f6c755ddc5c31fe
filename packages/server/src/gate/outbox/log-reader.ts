/** Follows the sealed log of every project and puts deliveries into the outbox. */
export interface LogReader {
  /** The reader's name in the gate's own log when it fails. */
  readonly what: string;
  /** True: reads whenever this gate seals something. False: reads once a second. */
  readonly everySeal: boolean;
  /**
   * The steps that read everything sealed. Between two steps, the outbox can send due deliveries, or stop.
   *
   * @param atOnce Reads everything now, without any interval of the reader's own.
   */
  read(atOnce: boolean): AsyncIterable<ReadingStep>;
}

/** One step of a reader. A step that fails is repeated in the next round, and does not delay other steps. */
interface ReadingStep {
  /** Null: the step is not about one project. */
  projectId: string | null;
  run(): Promise<unknown>;
}
