import type { Instant } from '../../gate/kernel/instant.ts';

/** A link that works once. `set_up` claims the first project's owner. `password_reset` sets a password. */
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
  /** Replaces all earlier links of the same kind: the person's links, or for `set_up` everyone's. */
  replaceLinks(link: OneTimeLink): Promise<void>;
  /** Guard: the link exists, is of this kind and has not expired. Only the first caller takes it. */
  takeLink(tokenHash: string, kind: OneTimeLink['kind'], now: Instant): Promise<boolean>;
  /**
   * Deletes all of a person's links and tickets. They may have been requested under an old password, or through a
   * provider that is no longer linked.
   */
  deleteLinksOf(userId: string): Promise<void>;
  insertTicket(ticket: SignInTicket): Promise<void>;
  /** Counts one try. Guard: tries are left, and the ticket has not expired. */
  tryTicket(tokenHash: string, now: Instant): Promise<boolean>;
  /** Guard: the ticket exists. */
  takeTicket(tokenHash: string): Promise<boolean>;
  /** Deletes expired links and tickets, at most `limit` of each. Returns how many were deleted. */
  deleteExpiredLinks(now: Instant, limit: number): Promise<number>;
}
