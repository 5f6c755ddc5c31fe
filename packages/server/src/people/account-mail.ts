import type { ProjectMode, Role } from '@permitry/protocol';
import type { Instant } from '../gate/kernel/instant.ts';

/**
 * Email about passwords and invitations. People cannot turn it off. Nothing waits for it. Failures go to the log. The
 * audit log shows everything else that happens to an account.
 */
export interface AccountMail {
  /** Whether the gate sends email. If not, the person who asked hands the link over. */
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
  /** Sent afterwards, so that the person notices a change that somebody else made. */
  passwordChanged(mail: {
    to: string;
    at: Instant;
    by: 'account' | 'link';
    /** The person's. Undefined: they have named none. */
    timeZone: string | undefined;
  }): void;
}

export const NO_ACCOUNT_MAIL: AccountMail = {
  configured: false,
  invitation() {},
  passwordReset() {},
  passwordChanged() {},
};
