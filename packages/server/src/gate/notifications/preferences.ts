import { RISK_TIERS, type RiskTier } from '@permitry/protocol';
import type { ChosenKind, NotificationKind } from './kinds.ts';
import type { QuietHours } from './quiet-hours.ts';

/** What one person wants to be told, and how. */
export interface Preferences {
  channels: Readonly<Record<ChosenKind, { mail: boolean; push: boolean }>>;
  quietHours: QuietHours | null;
  /** Ids of projects of which nothing is told. */
  mutedProjects: readonly string[];
  /** Below it nothing is said of intents that wait. */
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

/** As somebody saved them, perhaps before there were kinds that there are now. */
export interface SavedPreferences extends Omit<Preferences, 'channels'> {
  channels: Partial<Preferences['channels']>;
}

/** What holds for somebody: what they saved, and of the rest what holds for whoever never chose. */
export function preferencesFrom(saved: SavedPreferences | undefined): Preferences {
  if (!saved) return DEFAULT_PREFERENCES;
  return { ...saved, channels: { ...DEFAULT_PREFERENCES.channels, ...saved.channels } };
}

/** What a notification is about, as far as preferences go by it. */
export interface Subject {
  kind: NotificationKind;
  /** Null: the person's account. */
  projectId: string | null;
  /** Null: nothing has a risk. */
  riskTier: RiskTier | null;
}

/** Whether the person wants to be told of it by this channel. Notices about the account always come by mail. */
export function wants(preferences: Preferences, subject: Subject, channel: 'mail' | 'push'): boolean {
  const { kind, projectId, riskTier } = subject;
  if (kind === 'test') return true;
  if (kind === 'security') return channel === 'mail' || preferences.channels.security.push;
  // Nobody else sees to it, so no preference holds it back.
  if (kind === 'agent_owner_left') return channel === 'mail';
  if (projectId !== null && preferences.mutedProjects.includes(projectId)) return false;
  const asks = kind === 'waiting' || kind === 'reminder';
  if (asks && riskTier !== null && !reaches(riskTier, preferences.minimumRiskTier)) return false;
  return preferences.channels[chosenAs(kind)][channel];
}

/** By what one chooses of the kind: some are what becomes of something of one's own. */
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
