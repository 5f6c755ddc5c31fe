import type { ReactNode } from 'react';
import { Icon, type IconName } from './icon.tsx';
import * as words from './ui.words.ts';

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
  low: ['neutral', 1, words.low],
  medium: ['warn', 2, words.medium],
  high: ['hot', 3, words.high],
  critical: ['solid-bad', 4, words.critical],
} as const;

export type RiskTier = keyof typeof RISKS;

/**
 * The risk, as a word and as bars.
 *
 * @param isRated False when nobody rated it, so `low` means nothing.
 */
export function RiskBadge({ tier, isRated = true }: { tier: RiskTier; isRated?: boolean }) {
  if (!isRated) {
    return (
      <Badge title={words.notRatedMeans}>
        <span className="unseen">{words.riskIs} </span>
        {words.notRated}
      </Badge>
    );
  }
  const [tone, level, word] = RISKS[tier];
  return (
    <span className="badge" data-tone={tone}>
      <span className="risk-bars" aria-hidden="true">
        {[1, 2, 3, 4].map((bar) => (
          <i key={bar} className={bar <= level ? 'on' : undefined} />
        ))}
      </span>
      {word} <span className="unseen">{words.risk}</span>
    </span>
  );
}

const STATUSES: Readonly<Record<string, [Tone, IconName | undefined, string]>> = {
  pending: ['info', 'clock', words.pending],
  approved: ['good', 'check', words.approved],
  denied: ['bad', 'close', words.denied],
  expired: ['neutral', 'clock', words.hasExpired],
  withdrawn: ['neutral', undefined, words.withdrawn],
  active: ['good', 'check', words.active],
  paused: ['warn', 'clock', words.paused],
  revoked: ['bad', 'close', words.revoked],
  stopped: ['solid-bad', 'stop', words.stopped],
  suspended: ['warn', 'clock', words.suspended],
};

/** The status of an intent, agent, key or receipt. An unknown status is shown as it is. */
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
  return mode === 'test' ? (
    <Badge tone="solid-warn">{words.testMode}</Badge>
  ) : (
    <Badge>{words.liveMode}</Badge>
  );
}
