import type { ProjectMode, Role } from '@permitry/protocol';
import type { Instant } from '../gate/kernel/instant.ts';

/**
 * Mail about passwords and invitations, which everybody gets. Nothing waits for it: what goes wrong stands in the log.
 * What else happens to an account is told by whoever reads the audit log.
 */
export interface AccountMail {
  /** Whether mail is sent at all; otherwise whoever asked hands the link over. */
  readonly configured: boolean;
  invitation(mail: {
    to: string;
    projectName: string;
    mode: ProjectMode;
    role: Role;
    invitedBy: string;
    link: string;
    expiresAt: Instant;
  }): void;
  passwordReset(mail: { to: string; link: string; minutes: number }): void;
  /** Told afterwards, so that it can be noticed when it was somebody else. */
  passwordChanged(mail: { to: string; at: Instant; by: 'account' | 'link' }): void;
}

export const NO_ACCOUNT_MAIL: AccountMail = {
  configured: false,
  invitation() {},
  passwordReset() {},
  passwordChanged() {},
};
