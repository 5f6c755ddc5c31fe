import type { EventToRecord } from './record-event.ts';

/** The audit log behind the transactions that write to it. It seals events, and notifies its readers when it grows. */
export interface EventLog {
  /**
   * Called after the commit that wrote the event. Remembers that it was acknowledged, so that its loss would be
   * noticed; counts it; and has its project sealed soon.
   */
  recorded(eventId: string, event: EventToRecord): void;
  /** Resolves when every event that any gate committed before the call is sealed. */
  sealNow(projectId: string): Promise<void>;
  /**
   * Calls `listener` whenever any gate sealed events of a project, for readers that follow the log; occasionally once
   * too often. It must not throw or wait. Returns a function that stops it.
   */
  onSealed(listener: (projectId: string) => void): () => void;
}
