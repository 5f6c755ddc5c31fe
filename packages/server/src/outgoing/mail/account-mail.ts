/** Mail about accounts, such as a link to set a password. No operation waits until it is sent. */
import type { AccountMail } from '../../people/account-mail.ts';
import { toInertLine } from '../inert-text.ts';
import { toTimeText } from '../time-text.ts';
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
          `${toInertLine(invitedBy)} invited you to join ${project} on Permitry, where people review what software agents may do.`,
          [
            { name: 'Project', value: `${project} (${mode} mode)` },
            { name: 'Your role', value: `${role.charAt(0).toUpperCase()}${role.slice(1)}` },
            { name: 'Expires', value: toTimeText(expiresAt) },
          ],
        ],
        link: { label: 'View invitation', url: link },
        footer: ['If you did not expect this invitation, ignore it. Nothing happens unless you accept it.'],
      });
    },

    passwordReset({ to, link, minutes }) {
      send(to, 'a link for a new password', {
        subject: 'Choose a new password',
        body: [
          `Somebody, probably you, asked to reset the password of your account. The link is valid once, for ${minutes} minutes.`,
        ],
        link: { label: 'Choose a new password', url: link },
        footer: ['If it was not you, ignore this email. Your password does not change.'],
      });
    },

    passwordChanged({ to, at, by, timeZone }) {
      const time = toTimeText(at, timeZone);
      send(to, 'a notice of a changed password', {
        subject: 'Your password was changed',
        body: [
          by === 'account'
            ? `It was changed on the account page on ${time}. All other sessions were signed out.`
            : `It was reset through a link on ${time}. All sessions were signed out.`,
        ],
        footer: ['If it was not you, reset your password at once, and warn the admins of your projects.'],
      });
    },
  };
}
