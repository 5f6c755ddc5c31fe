/** Mail that carries a link into an account. It is handed over and nobody waits for it. */
import type { AccountMail } from '../../people/account-mail.ts';
import { toInertLine } from '../inert-text.ts';
import { composeMail, type MailContent } from './compose-mail.ts';
import type { Mailer } from './mailer.ts';

export function createAccountMail(
  mailer: Mailer,
  onError: (error: unknown, what: string) => void,
): AccountMail {
  function send(to: string, what: string, content: MailContent): void {
    mailer
      .send({ to, ...composeMail(content) })
      .catch((error) => onError(error, `${what} could not be sent`));
  }
  return {
    configured: mailer.configured,

    invitation({ to, projectName, mode, role, invitedBy, link, expiresAt }) {
      const project = toInertLine(projectName, 80);
      send(to, 'an invitation', {
        subject: `You are invited to ${project}`,
        body: [
          `${toInertLine(invitedBy)} invites you to decide together on what software may do.`,
          [
            { name: 'Project', value: `${project} (${mode} mode)` },
            { name: 'Your role', value: role },
            { name: 'Good until', value: expiresAt },
          ],
        ],
        link: { label: 'Look at the invitation', url: link },
        footer: ['If you do not know what this is about, do nothing: without you nothing happens.'],
      });
    },

    passwordReset({ to, link, minutes }) {
      send(to, 'a link for a new password', {
        subject: 'Choose a new password',
        body: [
          `Somebody, most likely you, asked for a new password. The link works once, for ${minutes} minutes.`,
        ],
        link: { label: 'Choose a new password', url: link },
        footer: ['If it was not you, do nothing: your password stays as it is.'],
      });
    },

    passwordChanged({ to, at, by }) {
      send(to, 'word of a changed password', {
        subject: 'Your password was changed',
        body: [
          by === 'account'
            ? `It was set on the account page at ${at}. All other sessions have ended.`
            : `It was set through a link at ${at}. All sessions have ended.`,
        ],
        footer: ['If it was not you, ask for a new password at once, and tell the people of your projects.'],
      });
    },
  };
}
