import type { DeliveryState } from '@permitry/server/webhooks';
import { CommandFailure } from '../command-failure.ts';
import { confirm } from '../input/ask.ts';
import { counted } from '../printing/counted.ts';
import { printJson } from '../printing/print-json.ts';
import { printTable } from '../printing/print-table.ts';
import { sayVisibly } from '../printing/say-visibly.ts';
import { shortTime } from '../printing/short-time.ts';
import {
  type Delivery,
  type Webhook,
  type WebhookAdmin,
  type WebhookFlags,
  withWebhookAdmin,
} from '../webhooks/webhook-admin.ts';

export interface AddFlags extends WebhookFlags {
  event?: string[];
  description?: string;
}

export interface DeliveriesFlags extends WebhookFlags {
  state?: DeliveryState;
  limit: number;
}

export interface ReplayFlags extends WebhookFlags {
  delivery?: string;
  from?: string;
  to?: string;
  afterSeq?: number;
  event?: string[];
}

export interface RotateFlags extends WebhookFlags {
  /** Seconds. */
  overlap?: number;
}

export async function add(address: string, flags: AddFlags): Promise<void> {
  const { event, description } = flags;
  await withWebhookAdmin(flags, async (admin) => {
    const made = await admin.add({
      url: address,
      ...(event === undefined ? {} : { event_types: event }),
      ...(description === undefined ? {} : { description }),
    });
    if (flags.json) return printJson(made);
    showSecret(`Events go to ${made.url ?? address} from now on: ${made.id}`, made.secret);
  });
}

export async function list(flags: WebhookFlags): Promise<void> {
  await withWebhookAdmin(flags, async (admin) => {
    const webhooks = await admin.list();
    if (flags.json) return printJson(webhooks);
    printTable(
      webhooks,
      [
        { title: 'ID', text: ({ id }) => id },
        { title: 'ADDRESS', text: ({ url }) => url ?? 'unknown: its key is gone', shrinks: true },
        { title: 'NAME', text: ({ description }) => description ?? '-', shrinks: true },
        { title: 'EVENTS', text: ({ event_types: types }) => types?.join(', ') ?? 'all', shrinks: true },
        { title: 'STATE', text: sayState, shrinks: true },
        { title: 'LAST TAKEN', text: ({ last_delivered_at: at }) => (at === null ? 'never' : shortTime(at)) },
      ],
      'This project has no webhooks; make one with: permitry webhook add https://…',
    );
  });
}

export async function test(which: string, flags: WebhookFlags): Promise<void> {
  await withWebhook(which, flags, async (admin, webhook) => {
    const queued = await admin.test(webhook.id);
    if (flags.json) return printJson(queued);
    process.stdout.write(
      `A test event is on its way, as soon as a gate serves. How it went: permitry webhook deliveries ${sayVisibly(webhook.id)}\n`,
    );
  });
}

export async function deliveries(which: string, flags: DeliveriesFlags): Promise<void> {
  const { state, limit } = flags;
  await withWebhook(which, flags, async (admin, webhook) => {
    const found = await admin.deliveries(webhook.id, { limit, ...(state === undefined ? {} : { state }) });
    if (flags.json) return printJson(found);
    printTable(
      found,
      [
        { title: 'ID', text: ({ id }) => id },
        { title: 'EVENT', text: ({ event_type: type }) => type },
        { title: 'MADE', text: ({ created_at: at }) => shortTime(at) },
        { title: 'STATE', text: ({ state: now }) => now },
        { title: 'TRIES', text: ({ attempts }) => String(attempts) },
        { title: 'ANSWER', text: sayAnswer, shrinks: true },
      ],
      'Nothing was sent to this webhook yet, nor is to be.',
    );
  });
}

export async function replay(which: string, flags: ReplayFlags): Promise<void> {
  const { delivery, from, to, afterSeq, event } = flags;
  const isRange = from !== undefined || to !== undefined || afterSeq !== undefined || event !== undefined;
  if (delivery !== undefined && isRange)
    throw new CommandFailure(2, 'Name one delivery with --delivery, or a range of the log; not both.');
  if (delivery === undefined && from === undefined && afterSeq === undefined)
    throw new CommandFailure(2, 'Say what to send again: --delivery ID, --from TIME or --after-seq N.');
  await withWebhook(which, flags, async (admin, { id }) => {
    if (delivery !== undefined) {
      const again = await admin.replayDelivery(id, delivery);
      if (flags.json) return printJson(again);
      process.stdout.write(`It is sent once more: ${sayVisibly(again.id)}\n`);
      return;
    }
    const replayed = await admin.replay(id, {
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
      ...(afterSeq === undefined ? {} : { after_seq: afterSeq }),
      ...(event === undefined ? {} : { event_types: event }),
    });
    if (flags.json) return printJson(replayed);
    process.stdout.write(
      `${counted(replayed.queued, 'event')} sent once more (${sayVisibly(replayed.replay_id)}).\n`,
    );
    if (replayed.next_after_seq !== null)
      process.stdout.write(`There are more; go on with: --after-seq ${Number(replayed.next_after_seq)}\n`);
  });
}

export async function rotate(which: string, flags: RotateFlags): Promise<void> {
  await withWebhook(which, flags, async (admin, { id }) => {
    const rotated = await admin.rotate(id, flags.overlap);
    if (flags.json) return printJson(rotated);
    const { previous_secrets_end_at: until } = rotated;
    showSecret(
      until === null
        ? 'Only the new secret signs from now on.'
        : `The old secret signs beside it until ${shortTime(until)}.`,
      rotated.secret,
    );
  });
}

export async function remove(which: string, flags: WebhookFlags & { yes?: true }): Promise<void> {
  await withWebhook(which, flags, async (admin, webhook) => {
    const isMeant =
      flags.yes ??
      (await confirm(
        `Remove the webhook to ${sayVisibly(nameOf(webhook))}, with what waits for it?`,
        'Nobody can be asked here whether this is meant: add --yes.',
      ));
    if (!isMeant) throw new CommandFailure(1, 'Nothing was removed.');
    await admin.remove(webhook.id);
    if (flags.json) return printJson({ id: webhook.id, removed: true });
    process.stdout.write(`Removed ${sayVisibly(webhook.id)}.\n`);
  });
}

async function withWebhook(
  which: string,
  flags: WebhookFlags,
  work: (admin: WebhookAdmin, webhook: Webhook) => Promise<void>,
): Promise<void> {
  await withWebhookAdmin(flags, async (admin) => {
    const webhooks = await admin.list();
    const found = webhooks.filter(
      ({ id, description, url }) => id === which || description === which || url === which,
    );
    const [webhook] = found;
    if (!webhook)
      throw new CommandFailure(
        1,
        `There is no webhook ${sayVisibly(which)} here; see: permitry webhook list`,
        { code: 'not_found' },
      );
    if (found.length > 1)
      throw new CommandFailure(
        2,
        `Several are called so; give an id: ${found.map(({ id }) => sayVisibly(id)).join(', ')}`,
      );
    await work(admin, webhook);
  });
}

/** The secret alone on stdout, so that it goes into a file without being seen. */
function showSecret(sentence: string, secret: string): void {
  process.stderr.write(`${sayVisibly(sentence)}\nThe secret that signs them, shown this once:\n`);
  process.stdout.write(`${sayVisibly(secret)}\n`);
}

function nameOf({ id, description, url }: Webhook): string {
  return description ?? url ?? id;
}

function sayState(webhook: Webhook): string {
  if (!webhook.enabled) return `disabled: ${webhook.disabled_reason ?? 'requested'}`;
  if (webhook.failing_since === null) return 'active';
  const { failing_since: since, paused_until: until } = webhook;
  return `failing since ${shortTime(since)}${until === null ? '' : `, next try ${shortTime(until)}`}`;
}

function sayAnswer({ last_status: status, last_error: error }: Delivery): string {
  if (status === null) return error ?? '-';
  return error === null ? String(status) : `${status}: ${error}`;
}
