/** Bodies and answers of the webhook paths (`/v1/projects/:id/webhooks…`). */
import Type from 'typebox';
import { FreeObject, Id, Nullable, StrictObject, Timestamp } from './forms.ts';

const URL_TEXT = Type.String({
  minLength: 1,
  maxLength: 2048,
  description:
    'With https://, to a public address. The operator may allow private addresses (PERMITRY_ALLOW_PRIVATE_TARGETS).',
  examples: ['https://example.com/permitry'],
});
const EVENT_TYPES_WANTED = Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
  minItems: 1,
  maxItems: 100,
  description: 'Types of the audit log, and groups of them such as intent.*',
  examples: [['intent.*', 'permit.revoked']],
});
const DESCRIPTION = Type.String({ minLength: 1, maxLength: 100 });

export const CreateWebhook = StrictObject({
  url: URL_TEXT,
  event_types: Type.Optional(Nullable(EVENT_TYPES_WANTED)),
  description: Type.Optional(Nullable(DESCRIPTION)),
});

export const UpdateWebhook = StrictObject({
  url: Type.Optional(URL_TEXT),
  event_types: Type.Optional(Nullable(EVENT_TYPES_WANTED)),
  description: Type.Optional(Nullable(DESCRIPTION)),
  enabled: Type.Optional(
    Type.Boolean({
      description:
        'After you enable it again, it receives new events only. Replay the events that it missed.',
    }),
  ),
});

export const RotateWebhookSecret = StrictObject({
  overlap_seconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 604_800,
      default: 86_400,
      description: 'How long older secrets also sign. 0: they end at once.',
    }),
  ),
});

const WEBHOOK = {
  id: Id('whk', 'Webhook.'),
  url: Nullable(Type.String({ description: 'Null when the key that sealed it is gone.' })),
  description: Nullable(Type.String()),
  event_types: Nullable(Type.Array(Type.String(), { description: 'Null: all.' })),
  enabled: Type.Boolean(),
  disabled_at: Nullable(Timestamp),
  disabled_reason: Nullable(
    Type.Enum(['requested', 'gone', 'failing'], {
      description: 'gone: it answered 410. failing: it accepted nothing for five days.',
    }),
  ),
  failing_since: Nullable(Timestamp),
  paused_until: Nullable(Timestamp),
  last_delivered_at: Nullable(Timestamp),
  previous_secrets_end_at: Nullable(Timestamp),
  created_at: Timestamp,
  updated_at: Timestamp,
};

export const WebhookSchema = StrictObject(WEBHOOK);
export const WebhookWithSecret = StrictObject({
  ...WEBHOOK,
  secret: Type.Optional(
    Type.String({ description: 'whsec_ and base64, as Standard Webhooks defines it. Shown only this once.' }),
  ),
});

export const DeliveryStateSchema = Type.Enum(['waiting', 'delivered', 'failed'], {
  description: 'failed: the gate gave up after about a day.',
});

const DELIVERY = {
  id: Id('dlv', 'Delivery.'),
  webhook_id: Id('whk', 'Webhook.'),
  kind: Type.Enum(['event', 'replay', 'test']),
  replay_id: Nullable(Type.String()),
  event_id: Nullable(Type.String({ description: 'The webhook-id of the delivery. A test has its own ID.' })),
  event_seq: Nullable(Type.Integer({ description: 'Its place in the audit chain.' })),
  event_type: Type.String(),
  intent_id: Nullable(Type.String()),
  state: DeliveryStateSchema,
  next_attempt_at: Nullable(Timestamp),
  attempts: Type.Integer(),
  last_status: Nullable(Type.Integer({ description: 'HTTP status of the latest attempt.' })),
  last_error: Nullable(Type.String()),
  created_at: Timestamp,
  done_at: Nullable(Timestamp),
};

export const WebhookDeliverySchema = StrictObject(DELIVERY);

export const WebhookDeliveryDetail = StrictObject({
  ...DELIVERY,
  attempt_log: Type.Array(
    StrictObject({
      at: Timestamp,
      duration_ms: Type.Integer(),
      status: Nullable(Type.Integer()),
      error: Nullable(Type.String()),
      response: Nullable(Type.String({ description: 'How the answer began. Every character is visible.' })),
    }),
    { description: 'The latest 20, oldest first.' },
  ),
  payload: Nullable(FreeObject),
});

export const ReplayWebhook = StrictObject({
  from: Type.Optional(Type.String({ description: 'Inclusive; ISO 8601.' })),
  to: Type.Optional(Type.String({ description: 'Exclusive; ISO 8601.' })),
  after_seq: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Events after this place in the audit chain.' }),
  ),
  event_types: Type.Optional(EVENT_TYPES_WANTED),
});

export const WebhookReplaySchema = StrictObject({
  replay_id: Id('rpl', 'ID of the replay. Its deliveries can be listed by it.'),
  queued: Type.Integer(),
  next_after_seq: Nullable(
    Type.Integer({
      description: 'after_seq for the next request, if this one could not cover all. Null: this was all.',
    }),
  ),
});
