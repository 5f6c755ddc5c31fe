import type { EventToRecord } from './record-event.ts';

/** The audit log as transactions that write to it see it. It seals events, and notifies its readers when it grows. */
export interface EventLog {
  /**
   * Call it after the commit that wrote the event. Counts the event, remembers it so that its loss would be noticed,
   * and schedules the sealing of its project.
   */
  recorded(eventId: string, event: EventToRecord): void;
  /** Resolves when every event that any gate committed before the call is sealed. */
  sealNow(projectId: string): Promise<void>;
  /**
   * Calls `listener` after any gate seals events of a project, for readers that follow the log. May call once too
   * often. `listener` must not throw or wait. Returns a function that stops the calls.
   */
  onSealed(listener: (projectId: string) => void): () => void;
}
