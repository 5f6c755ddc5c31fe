import { RISK_TIERS, type RiskTier } from '@permitry/protocol';
import type { ChosenKind, NotificationKind } from './kinds.ts';
import type { QuietHours } from './quiet-hours.ts';

/** Which notifications one person wants, and over which channels. */
export interface Preferences {
  channels: Readonly<Record<ChosenKind, { mail: boolean; push: boolean }>>;
  quietHours: QuietHours | null;
  /** IDs of projects that the person wants no notifications from. */
  mutedProjects: readonly string[];
  /** Requests below this risk cause no review notifications. */
  minimumRiskTier: RiskTier;
}

const BOTH = { mail: true, push: true };

export const DEFAULT_PREFERENCES: Preferences = {
  channels: {
    waiting: BOTH,
    reminder: BOTH,
    decided: BOTH,
    resolved: { mail: false, push: true },
    revoked: BOTH,
    proposed: BOTH,
    security: BOTH,
  },
  quietHours: null,
  mutedProjects: [],
  minimumRiskTier: 'low',
};

/** The saved preferences, perhaps from before some of today's kinds existed. */
export interface SavedPreferences extends Omit<Preferences, 'channels'> {
  channels: Partial<Preferences['channels']>;
}

/** The effective preferences: the saved ones, and the defaults for the rest. */
export function preferencesFrom(saved: SavedPreferences | undefined): Preferences {
  if (!saved) return DEFAULT_PREFERENCES;
  return { ...saved, channels: { ...DEFAULT_PREFERENCES.channels, ...saved.channels } };
}

/** The properties of a notification that preferences depend on. */
export interface Subject {
  kind: NotificationKind;
  /** Null: the notification is about the person's account. */
  projectId: string | null;
  /** Null: the subject has no risk. */
  riskTier: RiskTier | null;
}

/** Whether the person wants the notification over this channel. Notices about the account always come by mail. */
export function wants(preferences: Preferences, subject: Subject, channel: 'mail' | 'push'): boolean {
  const { kind, projectId, riskTier } = subject;
  if (kind === 'test') return true;
  if (kind === 'security') return channel === 'mail' || preferences.channels.security.push;
  // Only admins can keep the agent's keys alive, so they always get this notice by mail.
  if (kind === 'agent_owner_left') return channel === 'mail';
  if (projectId !== null && preferences.mutedProjects.includes(projectId)) return false;
  const asks = kind === 'waiting' || kind === 'reminder';
  if (asks && riskTier !== null && !reaches(riskTier, preferences.minimumRiskTier)) return false;
  return preferences.channels[chosenAs(kind)][channel];
}

/**
 * The kind whose setting applies. Some kinds have no setting of their own: the end of a policy change, for example,
 * follows `decided`.
 */
function chosenAs(kind: Exclude<NotificationKind, 'test' | 'agent_owner_left'>): ChosenKind {
  switch (kind) {
    case 'more_time':
    case 'proposal_ended':
    case 'webhook_disabled':
      return 'decided';
    default:
      return kind;
  }
}

export function reaches(tier: RiskTier, least: RiskTier): boolean {
  return RISK_TIERS.indexOf(tier) >= RISK_TIERS.indexOf(least);
}
