import { type ReactNode, useRef } from 'react';
import { InertText } from '../../inert-text/inert-text.tsx';
import { Notice } from '../../ui/notice.tsx';
import { useNow } from '../../ui/now.ts';
import type { HashCheck, ShownIntent } from './check-hashes.ts';
import { Deciding } from './deciding.tsx';
import { Ended } from './ended.tsx';
import { MoreTime } from './more-time.tsx';
import { sayNames, sayWhyNot } from './sentences.ts';
import type { ShownIntentState } from './use-shown-intent.ts';

interface PanelProps {
  intent: ShownIntent;
  check: HashCheck;
  state: ShownIntentState;
}

/** Where one decides, or reads what was decided. On a phone it stands at the foot of the screen. */
export function DecidePanel({ intent, check, state }: PanelProps) {
  const wasPending = useRef(intent.status === 'pending');
  const isOver = Date.parse(intent.hashed.expires_at) <= useNow();
  if (intent.status !== 'pending') {
    return (
      <Panel>
        <Ended intent={intent} isNew={wasPending.current} />
      </Panel>
    );
  }
  if (isOver) {
    return (
      <Panel>
        <h2>Time is up</h2>
        <p>The time to decide is over. Nobody decided it, and nothing will run.</p>
      </Panel>
    );
  }
  const known = <WhatToKnow intent={intent} isStale={state.isStale} />;
  if (!intent.can_approve && !intent.can_deny) {
    return (
      <Panel>
        {known}
        <MoreTime intent={intent} onDone={state.refresh} />
      </Panel>
    );
  }
  return (
    <Panel isDeciding>
      <Deciding intent={intent} check={check} state={state} known={known} />
      <MoreTime intent={intent} onDone={state.refresh} />
    </Panel>
  );
}

/** What stands in the way, or should be known before one decides. */
function WhatToKnow({ intent, isStale }: { intent: ShownIntent; isStale: boolean }) {
  const { agent } = intent.requester;
  return (
    <>
      {isStale && (
        <Notice tone="warn" title="The gate cannot be reached">
          What you see may be old. You can decide as soon as the connection is back.
        </Notice>
      )}
      {intent.project.stopped && (
        <Notice tone="warn">
          This project is stopped: even an approved request runs nothing until it is started.
        </Notice>
      )}
      {agent !== null && agent.status !== 'active' && (
        <Notice tone="warn">This agent is {agent.status}: it can use no permit at the moment.</Notice>
      )}
      <CannotApprove intent={intent} />
    </>
  );
}

function Panel({ isDeciding = false, children }: { isDeciding?: boolean; children: ReactNode }) {
  return (
    <aside className="approve-decide" data-deciding={isDeciding || undefined} aria-label="Decision">
      {children}
    </aside>
  );
}

function CannotApprove({ intent }: { intent: ShownIntent }) {
  const why = sayWhyNot(intent.why_not);
  if (intent.can_approve || why === null) return null;
  const who = [...new Set(intent.missing.flatMap((entry) => entry.who))];
  return (
    <div className="approve-cannot">
      <p>
        <b>{why}</b>
      </p>
      {intent.missing.length > 0 && (
        <p className="soft">
          Who may:{' '}
          <InertText
            text={who.length > 0 ? who.join(', ') : sayNames(intent.missing.flatMap(({ from }) => from))}
          />
        </p>
      )}
    </div>
  );
}
