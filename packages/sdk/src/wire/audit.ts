/** Which records of the audit log are read; filters add up. */
export interface AuditQuery {
  /** Types of events, e.g. `intent.approved`; several with commas. */
  type?: string;
  intent_id?: string;
  /** Id of the actor, or the name or e-mail address it is shown by. */
  actor?: string;
  /** Inclusive; ISO 8601. */
  from?: string;
  /** Exclusive; ISO 8601. */
  to?: string;
  /** `desc` (newest first) when left out. */
  order?: 'asc' | 'desc';
  /** 1 to 200; 50 when left out. */
  limit?: number;
  cursor?: string;
}
