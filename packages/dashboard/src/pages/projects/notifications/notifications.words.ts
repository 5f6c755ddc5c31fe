/** Texts of the notifications of a project: its chat, and the way to a person's own notifications. */

export const title = 'Notifications';
export const hidden = 'Only admins and owners can connect a chat to this project.';
export const own = {
  title: 'Your own notifications',
  lead: 'Each member chooses their own email and push notifications.',
  choose: 'Choose notifications',
} as const;

export const chat = {
  title: 'Chat',
  lead: 'For Slack and services that accept Slack’s incoming webhooks: Mattermost, Rocket.Chat, and Discord with /slack at the end of the address. Messages link to the dashboard. Nothing can be decided in the chat.',
} as const;
export const address = 'Address of the incoming webhook';
export const addressHint =
  'A secret. After you save it, the gate shows only its host and last four characters.';
export const addressMissing = 'Enter the address of the incoming webhook.';
export const newAddress = 'New address';
export const newAddressHint = 'Leave this empty to keep the current address.';
export const notifyAbout = 'Notify the chat about';
export const kinds = {
  waiting: 'Requests that need review',
  reminder: 'Pending requests that expire soon',
  decided: 'Requests that were decided or expired',
  revoked: 'Revoked approvals',
  proposed: 'Policy changes that need another admin or owner',
} as const;
export const risk = 'Risk of the requests';
export const connect = 'Connect chat';
export const connected = 'Connected the chat.';
export const save = 'Save changes';
export const saved = 'Saved the chat settings.';

export const facts = { address: 'Address', lastMessage: 'Last message' } as const;
export const noMessage = 'None yet';
export const notDelivered = 'The last message was not delivered';
export const sendTest = 'Send test message';
export const testQueued = 'Queued a test message. Look for it in the channel.';
export const disconnect = 'Disconnect chat';
export const disconnectTitle = 'Disconnect this chat?';
export const disconnected = 'Disconnected the chat.';
export const disconnectConsequence =
  'The gate deletes the address, and the channel gets no more messages about this project.';
