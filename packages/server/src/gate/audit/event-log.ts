import type { EventToRecord } from './record-event.ts';

/** The event log behind the transactions that write it: it seals events, and tells its readers when it grows. */
export interface EventLog {
  /**
   * Called after the commit that wrote the event: keeps in mind that it was acknowledged, so that its loss would be
   * noticed; counts it; and has its project sealed soon.
   */
  recorded(eventId: string, event: EventToRecord): void;
  /** Resolves when every event that any gate committed before the call is sealed. */
  sealNow(projectId: string): Promise<void>;
  /**
   * Calls `listener` whenever events of a project were sealed by any gate, for those who read the log as it grows;
   * now and then once too often. It must not throw or wait. Answers how to stop.
   */
  onSealed(listener: (projectId: string) => void): () => void;
}
