/**
 * One request on its own page: everything in it, as it was hashed, and the decision. Opening the page decides nothing.
 */
import { lazy, useState } from 'react';
import { useParams } from 'react-router';
import type { ShownIntent } from '../../decide/check-hashes.ts';
import { Explanation } from '../../decide/explanation.tsx';
import { AGO_STEP_MS, findWarnings } from '../../decide/find-warnings.ts';
import { useReview } from '../../decide/review.ts';
import { ShownParameters } from '../../decide/shown-parameters.tsx';
import { FoldScope, useFoldedParts, useFolds } from '../../inert-text/folds.tsx';
import { IconButton } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { later } from '../../ui/later.tsx';
import { ErrorPanel } from '../../ui/notice.tsx';
import { useNow } from '../../ui/now.ts';
import { Page } from '../../ui/page.tsx';
import { useShortcuts } from '../../ui/use-shortcuts.ts';
import { Skeleton, Waiting } from '../../ui/waiting.tsx';
import { WhenNear } from '../../ui/when-near.tsx';
import * as words from './approve.words.ts';
import { DecidePanel } from './decide-panel.tsx';
import { Head } from './head.tsx';
import { NewsList } from './news-list.tsx';
import { type ShownIntentState, useShownIntent } from './use-shown-intent.ts';
import { WhoAsks } from './who-asks.tsx';
import { WhoDecides } from './who-decides.tsx';
import '../../decide/decide.css';
import './approve.css';

const LastTime = later(
  () => import('../../decide/last-time.tsx'),
  'LastTime',
  <Skeleton lines={2} label={words.loadingChanges} />,
);
const NotYours = lazy(() => import('./not-yours.tsx').then((module) => ({ default: module.NotYours })));
const ShortcutHelp = later(() => import('../../ui/shortcut-help.tsx'), 'ShortcutHelp');

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
      <Page title={words.request} hideTitle>
        <Waiting label={words.loading} />
      </Page>
    );
  }
  return <Shown intent={intent} state={state} />;
}

function NotThere({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const isUnknown = (error as { status?: number }).status === 404;
  if (isUnknown) return <NotYours id={null} />;
  return (
    <Page title={words.request} hideTitle>
      <ErrorPanel error={error} title={words.loadFailed} onRetry={onRetry} />
    </Page>
  );
}

function sayTitle({ status, withdrawn, hashed: { action } }: ShownIntent): string {
  if (status === 'pending') return words.decide(action);
  return words.ended(words.statuses[withdrawn ? 'withdrawn' : status], action);
}

function Shown({ intent, state }: { intent: ShownIntent; state: ShownIntentState }) {
  const review = useReview(intent);
  const folds = useFolds();
  const warnings = findWarnings(review, useNow(AGO_STEP_MS), useFoldedParts(folds));
  const [isHelpOpen, setHelpOpen] = useState(false);
  useShortcuts({ '?': () => setHelpOpen(true) });
  return (
    <Page
      title={intent.hashed.action}
      documentTitle={sayTitle(intent)}
      above={<Head.Above intent={intent} />}
      lead={<Head.Lead intent={intent} />}
      actions={
        <IconButton
          icon="info"
          label={words.shortcuts}
          className="with-keyboard"
          onClick={() => setHelpOpen(true)}
        />
      }
    >
      <div className="approve">
        <div className="approve-main">
          <NewsList news={state.news} />
          <FoldScope folds={folds}>
            <Card title={words.parameters}>
              <ShownParameters review={review} />
            </Card>
          </FoldScope>
          {review.check.kind === 'same' && (
            <Card title={words.changes}>
              <WhenNear>
                <LastTime review={review} />
              </WhenNear>
            </Card>
          )}
          <FoldScope folds={folds}>
            <Explanation intent={intent} />
          </FoldScope>
          <WhoDecides intent={intent} />
          <WhoAsks intent={intent} />
        </div>
        <DecidePanel review={review} warnings={warnings} state={state} />
      </div>
      {isHelpOpen && <ShortcutHelp open keys={words.keys} onClose={() => setHelpOpen(false)} />}
    </Page>
  );
}
