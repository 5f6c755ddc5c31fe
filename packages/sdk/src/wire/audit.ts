/** Which records of the audit log to read. A record must match all filters. */
export interface AuditQuery {
  /** Types of events, e.g. `intent.approved`. Separate several with commas. */
  type?: string;
  intent_id?: string;
  /** Id of the actor, or its displayed name or email address. */
  actor?: string;
  /** Inclusive; ISO 8601. */
  from?: string;
  /** Exclusive; ISO 8601. */
  to?: string;
  /** Default: `desc` (newest first). */
  order?: 'asc' | 'desc';
  /** 1 to 200. Default: 50. */
  limit?: number;
  cursor?: string;
}
