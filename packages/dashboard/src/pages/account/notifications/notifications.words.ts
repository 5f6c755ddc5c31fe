/** Texts of a person's notification settings. */
import type { ReactNode } from 'react';
import { say } from '../../../ui/say.ts';

export const push = 'Push notifications';
export const pushLead =
  'A device shows requests that need your review, also while the dashboard is closed. A notification only opens the page. It never decides anything.';
export const thisBrowser = 'This browser';
export const lastSent = (at: ReactNode) => say`last notified ${at}`;
export const notSent = 'not notified yet';
export const turnOn = 'Turn on for this browser';
export const turnedOn = 'This browser now shows notifications.';
export const notTurnedOn = 'This browser could not be added';
export const unsupported =
  'This browser can’t receive push notifications here. They need HTTPS, and a window that is not private.';
export const install = 'Add Permitry to your home screen first';
export const installLead =
  'iPhones and iPads show notifications only for apps on the home screen. In Safari, choose Share, then “Add to Home Screen”. Open Permitry from there and return to this page.';
export const blocked =
  'Notifications are blocked for this site. Allow them in your browser’s settings for this site, then reload the page.';
export const removeDevice = {
  title: 'Remove this device?',
  confirm: 'Remove device',
  done: 'Device removed.',
} as const;
export const removeDeviceConsequence = (device: ReactNode) =>
  say`${device} no longer receives push notifications.`;

export const settings = 'Notification settings';
export const settingsSaved = 'Notification settings saved.';
export const saveSettings = 'Save settings';
export const noMail = 'This gate can’t send email. Its operator has not configured a mail server yet.';
export const kinds = 'Notifications by kind and channel';
export const kind = 'Notification';
export const email = 'Email';
export const byPush = 'Push';
/** For screen readers. */
export const kindByChannel = (kind: string, channel: string) => `${kind}: ${channel}`;

export const waiting = 'Review requested';
export const waitingMeans = 'Your approval is one of those that a request still needs.';
export const reminder = 'Expiring soon';
export const reminderMeans = 'Once for each request that you have not decided.';
export const decided = 'Your request was decided';
export const decidedMeans = 'A request or a policy change from you or from one of your programs.';
export const resolved = 'Decided by someone else';
export const resolvedMeans = 'A request that needed your review.';
export const revoked = 'Your approval was revoked';
export const revokedMeans = 'Its permit is refused from then on.';
export const proposed = 'Policy change to review';
export const proposedMeans = 'Someone proposed it. You or another admin or owner must approve it.';
export const security = 'Account security';
export const securityMeans = 'Passkeys, second factor, devices. Always sent by email.';

export const leastRisk = 'Notify me about pending requests';
export const projects = 'Notify me about these projects';

export const quietHours = 'Quiet hours';
export const holdBack = 'Hold notifications during quiet hours';
export const holdBackMeans =
  'Afterwards, you are notified of what is still pending. You won’t be notified of requests that expire meanwhile. Account security notices are always sent.';
export const from = 'From';
export const to = 'To';
export const timeZone = 'Time zone';

export const test = 'Test notifications';
export const testLead = 'Send a test notification to your email address and to every device above.';
export const nothingToTest =
  'Nothing to test yet: no mail server is configured, and none of your devices receives push notifications.';
export const sendTest = 'Send test notification';
export const testsQueued = (mails: number, pushes: number) => {
  const queued = [
    mails > 0 && 'a test email',
    pushes > 0 && (pushes === 1 ? 'a push notification' : `${pushes} push notifications`),
  ];
  return `On its way: ${queued.filter(Boolean).join(' and ')}.`;
};
