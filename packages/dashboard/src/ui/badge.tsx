import type { ReactNode } from 'react';
import { Icon, type IconName } from './icon.tsx';

export type Tone = 'neutral' | 'info' | 'good' | 'warn' | 'hot' | 'bad' | 'solid-bad' | 'solid-warn';

/** A word or two in a pill. The word carries the meaning, never the colour alone. */
export function Badge({
  tone = 'neutral',
  icon,
  title,
  children,
}: {
  tone?: Tone;
  icon?: IconName;
  title?: string;
  children: ReactNode;
}) {
  return (
    <span className="badge" data-tone={tone} title={title}>
      {icon && <Icon name={icon} size={12} />}
      {children}
    </span>
  );
}

const RISKS = {
  low: ['neutral', 1],
  medium: ['warn', 2],
  high: ['hot', 3],
  critical: ['solid-bad', 4],
} as const;

export type RiskTier = keyof typeof RISKS;

/**
 * `low`, `medium`, `high` or `critical`, as a word and as bars.
 *
 * @param isRated False when nobody rated it, so `low` means nothing.
 */
export function RiskBadge({ tier, isRated = true }: { tier: RiskTier; isRated?: boolean }) {
  if (!isRated) {
    return (
      <Badge title="Nobody rated the risk of this request.">
        <span className="unseen">risk </span>not rated
      </Badge>
    );
  }
  const [tone, level] = RISKS[tier];
  return (
    <span className="badge" data-tone={tone}>
      <span className="risk-bars" aria-hidden="true">
        {[1, 2, 3, 4].map((bar) => (
          <i key={bar} className={bar <= level ? 'on' : undefined} />
        ))}
      </span>
      {tier} <span className="unseen">risk</span>
    </span>
  );
}

const STATUSES: Readonly<Record<string, [Tone, IconName, string]>> = {
  pending: ['info', 'clock', 'pending'],
  approved: ['good', 'check', 'approved'],
  denied: ['bad', 'close', 'denied'],
  expired: ['neutral', 'clock', 'expired'],
  active: ['good', 'check', 'active'],
  paused: ['warn', 'clock', 'paused'],
  revoked: ['bad', 'close', 'revoked'],
  stopped: ['solid-bad', 'stop', 'stopped'],
  suspended: ['warn', 'clock', 'suspended'],
};

/** The status of an intent, agent, key or receipt. An unknown word is shown unstyled. */
export function StatusBadge({ status }: { status: string }) {
  const [tone, icon, word] = STATUSES[status] ?? ['neutral', undefined, status];
  return (
    <Badge tone={tone} {...(icon && { icon })}>
      {word}
    </Badge>
  );
}

/** The mode of a project, as in its keys. Test stands out, because people expect live. */
export function ModeBadge({ mode }: { mode: 'test' | 'live' }) {
  return mode === 'test' ? <Badge tone="solid-warn">test mode</Badge> : <Badge>live</Badge>;
}
