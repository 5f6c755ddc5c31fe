/** Texts of the webhooks of a project, and of their deliveries. */
import type { ReactNode } from 'react';
import { formatCount, formatLifetime } from '../../../ui/format.ts';
import { say } from '../../../ui/say.ts';

export const title = 'Webhooks';
export const lead = 'Send events to your systems in real time, signed according to Standard Webhooks.';
export const create = 'Create webhook';
export const hidden = 'Only admins and owners can see and create the webhooks of this project.';
export const empty = {
  title: 'No webhooks',
  lead: 'Create a webhook to send events to one of your systems: at least once, and in order for each request.',
} as const;
export const webhookList = 'Webhooks of this project';

/** Headings of columns, labels of fields, and names of facts. */
export const properties = {
  address: 'Address',
  description: 'Description',
  state: 'State',
  events: 'Events',
  lastDelivered: 'Last delivered',
  oldSecretsUntil: 'Old secrets valid until',
  created: 'Created',
  id: 'ID',
} as const;
export const never = 'Never';
export const none = 'None';
export const states = { enabled: 'Enabled', disabled: 'Disabled', failing: 'Failing' } as const;

/** Groups of event types. */
export const groups = {
  requests: 'Requests and decisions',
  permits: 'Permits and outcomes',
  agents: 'Agents',
  policy: 'Policy',
  keys: 'Keys',
  members: 'Members, groups and invitations',
  project: 'Project, webhooks and chat',
  access: 'Refused access',
} as const;
export const allEvents = 'All events';
export const selectedEvents = 'Selected events';

export const addressHint = 'Begins with https://. The gate sends each event there as a POST.';
export const descriptionHint = 'What receives the events, for example “Order system”.';

/** In "Webhook not found". */
export const item = 'webhook';
export const webhook = 'Webhook';
export const hiddenWebhook = 'Only admins and owners can see the webhooks of this project.';
export const settings = 'Settings';
export const edit = 'Edit webhook';
export const save = 'Save changes';
export const saved = 'Saved.';
export const addressUnreadable =
  'Can’t be read: the gate no longer has the key that encrypts it. Enter the address again.';

export const gone = {
  title: 'Disabled: the receiver answered 410',
  lead: 'This answer means that it wants no more events. If that has changed, enable the webhook and replay the missed events.',
} as const;
export const gaveUp = {
  title: 'Disabled after 5 days of failures',
  lead: 'Fix the receiver, enable the webhook, then replay the missed events.',
} as const;
export const failing = 'Deliveries are failing';
export const failingSince = (date: ReactNode) => say`Nothing has been delivered since ${date}.`;
export const nextRetry = (date: ReactNode) =>
  say`The next retry is after ${date}. A test event is sent at once.`;

export const sendTest = 'Send test event';
export const testQueued = 'Queued a test event. Its result appears under Deliveries.';

export const newSecret = {
  ofNewWebhook: 'Your webhook secret',
  rotated: 'Your new webhook secret',
  what: 'secret',
  shownOnce: 'Shown only once',
  note: 'The receiver uses it to verify that events come from this gate. Standard Webhooks libraries accept it as it is.',
  copyTo: 'the settings of the receiver',
  ifLost: 'Rotate the secret to get a new one.',
} as const;

export const rotate = 'Rotate secret';
export const rotateTitle = 'Rotate this secret?';
export const rotateConsequence =
  'From now on, every delivery is signed with the new secret. Update the receiver while the old secret is still valid.';
export const keepOldSecret = 'Keep the old secret valid for';
export const overlap = (seconds: number) =>
  seconds === 0 ? 'Not at all: it may have leaked' : formatLifetime(seconds);

export const enable = {
  title: 'Enable this webhook?',
  confirm: 'Enable webhook',
  done: 'Enabled the webhook.',
  consequence:
    'New events are sent from now on. Events that it missed are not sent automatically. You can replay them.',
} as const;
export const disable = {
  title: 'Disable this webhook?',
  confirm: 'Disable webhook',
  done: 'Disabled the webhook.',
  consequence:
    'Events that happen while it is disabled are not queued, and its pending deliveries fail. You can replay missed events after you enable it.',
} as const;
export const remove = {
  title: 'Delete this webhook?',
  confirm: 'Delete webhook',
  done: 'Deleted the webhook.',
  consequence: 'Its secret, its pending deliveries and its past deliveries are deleted. You can’t undo this.',
} as const;

export const deliveries = 'Deliveries';
export const deliveryList = 'Deliveries of this webhook';
export const stateFilter = 'Show deliveries';
export const anyState = 'All';
export const deliveryStates = { waiting: 'Pending', delivered: 'Delivered', failed: 'Failed' } as const;
export const noDeliveries = {
  title: 'No deliveries',
  lead: 'No event has been sent yet. Send a test event to see whether the receiver accepts it.',
} as const;
export const noMatch = { title: 'No deliveries', lead: 'No delivery is in this state.' } as const;
export const columns = {
  event: 'Event',
  state: 'State',
  request: 'Request',
  created: 'Created',
  lastResponse: 'Last response',
} as const;
export const replayed = 'replayed';
export const requestNamed = (end: string) => `Request …${end}`;
export const notSent = 'Not sent yet';
export const viewDetails = 'View details';
export const viewDetailsOf = (eventType: string, id: string) => `View details of ${eventType}, ${id}`;

export const deliveryOf = (eventType: string) => `Delivery of ${eventType}`;
export const close = 'Close';
export const nextAttempt = 'Next attempt';
export const afterEarlier = 'After an earlier delivery for the same request';
export const attempts = 'Attempts';
export const noAttempts = 'No attempts yet.';
export const attempt = (date: ReactNode, ms: number, result: ReactNode) =>
  say`${date}, ${formatCount(ms)} ms: ${result}`;
export const delivered = (status: number | null) => `delivered (${status})`;
export const payload = 'Payload';
export const thePayload = 'the payload';

export const replayDelivery = 'Replay delivery';
export const replayQueued = 'Queued the delivery again.';
export const replayEvents = 'Replay events';
export const replayMeans = (id: ReactNode) =>
  say`This also sends events that the webhook missed. Each event keeps its ${id}, so the receiver can recognise events that it already has.`;
export const timeRange = 'Time range';
/** By number of hours. */
export const timeRanges: Readonly<Record<string, string>> = {
  1: 'Last hour',
  24: 'Last 24 hours',
  168: 'Last 7 days',
  720: 'Last 30 days',
};
export const eventsQueued = (count: number) => {
  if (count === 0) return 'This webhook has no events in this time range.';
  return count === 1 ? 'Queued 1 event again.' : `Queued ${formatCount(count)} events again.`;
};
