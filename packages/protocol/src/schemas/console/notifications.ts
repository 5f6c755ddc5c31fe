/** Answers of the dashboard's own routes about notifications: a person's own, and a project's chat. */
import Type from 'typebox';
import { RISK_TIERS } from '../../vocabulary.ts';
import { Nullable, StrictObject } from '../forms.ts';

const Channels = StrictObject({ mail: Type.Boolean(), push: Type.Boolean() });

const TIME_OF_DAY = '^([01]\\d|2[0-3]):[0-5]\\d$';

export const NotificationPreferences = StrictObject({
  channels: StrictObject({
    waiting: Channels,
    reminder: Channels,
    decided: Channels,
    resolved: Channels,
    revoked: Channels,
    proposed: Channels,
    security: Channels,
  }),
  quiet_hours: Nullable(
    StrictObject({
      from: Type.String({ pattern: TIME_OF_DAY }),
      to: Type.String({ pattern: TIME_OF_DAY }),
      time_zone: Type.String({ minLength: 1, maxLength: 64 }),
    }),
  ),
  muted_projects: Type.Array(Type.String({ maxLength: 64 }), { maxItems: 1000, uniqueItems: true }),
  minimum_risk_tier: Type.Enum([...RISK_TIERS]),
});

export const PushDevice = StrictObject({
  id: Type.String(),
  label: Type.String(),
  host: Type.String({ description: 'Of the push service.' }),
  endpoint_hash: Type.String({
    description: 'Hex SHA-256 of its endpoint, by which a browser recognises its own entry.',
  }),
  created_at: Type.String(),
  last_sent_at: Nullable(Type.String()),
});

export const OwnNotifications = StrictObject({
  preferences: NotificationPreferences,
  mail_configured: Type.Boolean(),
  push_key: Type.String({ description: "The applicationServerKey for a browser's subscription." }),
  devices: Type.Array(PushDevice),
});

/** `JSON.stringify` of a browser's PushSubscription, and the person's name for the device. */
export const NewPushDevice = StrictObject({
  label: Type.String({ minLength: 1, maxLength: 200 }),
  endpoint: Type.String({ minLength: 1, maxLength: 2000 }),
  keys: StrictObject({
    p256dh: Type.String({ maxLength: 200 }),
    auth: Type.String({ maxLength: 200 }),
  }),
});

export const QueuedTests = StrictObject({ mail: Type.Integer(), push: Type.Integer() });

const ChatKinds = Type.Array(Type.Enum(['waiting', 'reminder', 'decided', 'revoked', 'proposed']), {
  uniqueItems: true,
  maxItems: 5,
});

export const ChatHookView = StrictObject({
  host: Type.String(),
  hint: Type.String({ description: 'The last four characters of the address, which is never shown.' }),
  kinds: ChatKinds,
  minimum_risk_tier: Type.Enum([...RISK_TIERS]),
  updated_at: Type.String(),
  last_sent_at: Nullable(Type.String()),
  last_error: Nullable(Type.String()),
});

/** A project without a hook gets `null`, not a 404. */
export const ChatHookAnswer = StrictObject({ hook: Nullable(ChatHookView) });

export const SaveChatHook = StrictObject({
  url: Type.Optional(Type.String({ minLength: 1, maxLength: 2000, description: 'Omitted: unchanged.' })),
  kinds: ChatKinds,
  minimum_risk_tier: Type.Enum([...RISK_TIERS]),
});
