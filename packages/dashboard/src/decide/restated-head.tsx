import type { ReactNode } from 'react';
import { InertText } from '../inert-text/inert-text.tsx';
import { ModeBadge, RiskBadge } from '../ui/badge.tsx';
import type { ShownIntent } from './check-hashes.ts';
import { byIn } from './decision-form.words.ts';

/** The first line of a confirmation: the action, its risk, the requester and the project. */
export function RestatedHead({
  action,
  tier,
  isRated,
  by,
  project,
  mode,
}: {
  action: ReactNode;
  tier: ShownIntent['hashed']['risk_tier'];
  isRated: boolean;
  by: string;
  project: string;
  mode: ShownIntent['project']['mode'];
}) {
  return (
    <p className="decide-restated-head">
      <b>{action}</b> <RiskBadge tier={tier} isRated={isRated} />{' '}
      {byIn(<InertText text={by} />, <InertText text={project} />)} <ModeBadge mode={mode} />
    </p>
  );
}
