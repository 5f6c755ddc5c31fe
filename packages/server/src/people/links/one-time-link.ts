import type { Instant } from '../../gate/kernel/instant.ts';

/**
 * What stands behind a link that works once. `set_up` claims the first project's owner, `password_reset` sets a
 * password.
 */
interface OneTimeLink {
  /** Hex SHA-256 of the token in the link. */
  tokenHash: string;
  kind: 'set_up' | 'password_reset';
  userId: string;
  createdAt: Instant;
  expiresAt: Instant;
}

/** A sign-in that waits for its second factor. */
interface SignInTicket {
  /** Hex SHA-256 of the ticket. */
  tokenHash: string;
  userId: string;
  triesLeft: number;
  expiresAt: Instant;
}

export interface OneTimeLinkReader {
  findLink(tokenHash: string): Promise<OneTimeLink | undefined>;
  findTicket(tokenHash: string): Promise<SignInTicket | undefined>;
}

export interface OneTimeLinkWriter {
  /** In place of all earlier ones of its kind: of the person, and for `set_up` of anybody. */
  replaceLinks(link: OneTimeLink): Promise<void>;
  /** Guard: it is there, of this kind, and not past its time. Whoever takes it was the first, and the last. */
  takeLink(tokenHash: string, kind: OneTimeLink['kind'], now: Instant): Promise<boolean>;
  /** All of a person's links and tickets: what was asked for under an old password, or after a provider that is taken away, ends with it. */
  deleteLinksOf(userId: string): Promise<void>;
  insertTicket(ticket: SignInTicket): Promise<void>;
  /** Counts one try; guard: tries are left, and it is not past its time. */
  tryTicket(tokenHash: string, now: Instant): Promise<boolean>;
  /** Guard: it is there. */
  takeTicket(tokenHash: string): Promise<boolean>;
  /** Links and tickets past their time; answers how many were deleted, at most `limit` of each. */
  deleteExpiredLinks(now: Instant, limit: number): Promise<number>;
}
