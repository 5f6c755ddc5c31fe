/** One request on its own page: what was asked, whole and as it was hashed, and the decision. Opening it decides nothing. */
import { useMemo } from 'react';
import { useParams } from 'react-router';
import { ErrorPanel } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { Waiting } from '../../ui/waiting.tsx';
import { AgentsWords } from './agents-words.tsx';
import './approve.css';
import { checkHashes, type HashCheck, type ShownIntent } from './check-hashes.ts';
import { compareWithLast } from './compared.ts';
import { DecidePanel } from './decide-panel.tsx';
import { Head } from './head.tsx';
import { LastTime } from './last-time.tsx';
import { NewsList } from './news-list.tsx';
import { NotYours } from './not-yours.tsx';
import { type ShownIntentState, useShownIntent } from './use-shown-intent.ts';
import { WhatIsAsked } from './what-is-asked.tsx';
import { WhoAsks } from './who-asks.tsx';
import { WhoDecides } from './who-decides.tsx';

export default function ApprovePage() {
  const { intentId = '' } = useParams();
  return <ApproveOne key={intentId} id={intentId} />;
}

function ApproveOne({ id }: { id: string }) {
  const state = useShownIntent(id);
  const { intent, error } = state;
  if (error && !intent) return <NotThere error={error} onRetry={() => void state.refresh()} />;
  if (error) return <NotYours id={id} />;
  if (!intent) {
    return (
      <Page title="Request" hideTitle>
        <Waiting label="Reading the request" />
      </Page>
    );
  }
  return <Shown intent={intent} state={state} />;
}

function NotThere({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const isUnknown = (error as { status?: number }).status === 404;
  if (isUnknown) return <NotYours id={null} />;
  return (
    <Page title="Request" hideTitle>
      <ErrorPanel error={error} title="The request could not be read" onRetry={onRetry} />
    </Page>
  );
}

function Shown({ intent, state }: { intent: ShownIntent; state: ShownIntentState }) {
  const check = useCheck(intent);
  const compared = useMemo(() => compareWithLast(intent, check), [intent, check]);
  return (
    <Page
      title={intent.hashed.action}
      documentTitle={`${intent.status === 'pending' ? 'Decide' : intent.status}: ${intent.hashed.action}`}
      above={<Head.Above intent={intent} />}
      lead={<Head.Lead intent={intent} />}
    >
      <div className="approve">
        <div className="approve-main">
          <NewsList news={state.news} />
          <WhatIsAsked intent={intent} check={check} compared={compared} />
          <LastTime intent={intent} check={check} compared={compared} />
          <AgentsWords intent={intent} />
          <WhoDecides intent={intent} />
          <WhoAsks intent={intent} />
        </div>
        <DecidePanel intent={intent} check={check} state={state} />
      </div>
    </Page>
  );
}

/** What was hashed never changes, so it is hashed again only when one of these does. */
function useCheck(intent: ShownIntent): HashCheck {
  const key = JSON.stringify([intent.hashed, intent.params_hash, intent.intent_hash, intent.erased_at]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: all that the check looks at
  return useMemo(() => checkHashes(intent), [key, intent.canonical_params]);
}
