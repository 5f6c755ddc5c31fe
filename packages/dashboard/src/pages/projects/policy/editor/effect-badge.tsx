import { Badge } from '../../../../ui/badge.tsx';
import type { Effect } from '../document/policy-document.ts';

const BADGES = {
  allow: ['good', 'check', 'Allows'],
  require_approval: ['info', 'member', 'Asks people'],
  deny: ['bad', 'close', 'Denies'],
} as const;

export function EffectBadge({ effect }: { effect: Effect }) {
  const [tone, icon, text] = BADGES[effect];
  return (
    <Badge tone={tone} icon={icon}>
      {text}
    </Badge>
  );
}

/** For use within a sentence about outcomes. */
export const EFFECT_WORDS: Readonly<Record<Effect, string>> = {
  allow: 'allowed at once',
  require_approval: 'asked about',
  deny: 'denied',
};
