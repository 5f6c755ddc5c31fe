import type { ProjectMode, Role } from '@permitry/protocol';
import type { Instant } from '../gate/kernel/instant.ts';

/**
 * Email about passwords and invitations. People cannot turn it off. No operation waits until it is sent, and failures
 * go to the log. The audit log shows everything else that happens to an account.
 */
export interface AccountMail {
  /** Whether the gate sends email. If not, the person who requested the link hands it over. */
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
  /** Sent after the change, so that the person notices a change that somebody else made. */
  passwordChanged(mail: {
    to: string;
    at: Instant;
    by: 'account' | 'link';
    /** The person's time zone. Undefined: they have not chosen one. */
    timeZone: string | undefined;
  }): void;
}

export const NO_ACCOUNT_MAIL: AccountMail = {
  configured: false,
  invitation() {},
  passwordReset() {},
  passwordChanged() {},
};
