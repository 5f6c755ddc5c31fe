import { type ReactNode, useEffect, useRef } from 'react';
import type { ShownIntent } from '../../decide/check-hashes.ts';
import { Deciding } from '../../decide/deciding.tsx';
import { Explanation } from '../../decide/explanation.tsx';
import { AGO_STEP_MS, findWarnings, type Warning } from '../../decide/find-warnings.ts';
import { type Review, shownHash, useReview, useWholeIntent } from '../../decide/review.ts';
import { sayWhyNot } from '../../decide/say-why-not.ts';
import { ShownParameters } from '../../decide/shown-parameters.tsx';
import { Warnings } from '../../decide/warnings.tsx';
import { FoldScope, useFoldedParts, useFolds } from '../../inert-text/folds.tsx';
import { InertText } from '../../inert-text/inert-text.tsx';
import { Badge, ModeBadge, RiskBadge } from '../../ui/badge.tsx';
import { LinkButton } from '../../ui/button.tsx';
import { KeyboardHint } from '../../ui/keyboard-hint.tsx';
import { later } from '../../ui/later.tsx';
import { ErrorPanel, Notice } from '../../ui/notice.tsx';
import { useNow } from '../../ui/now.ts';
import { Countdown, RelativeTime } from '../../ui/time.tsx';
import { Skeleton } from '../../ui/waiting.tsx';
import { WhenNear } from '../../ui/when-near.tsx';
import * as words from './inbox-detail.words.ts';
import { type InboxItem, sayEnd, sayOwnPage } from './inbox-item.ts';
import { offline } from './request-list.words.ts';
import { WhoDecides } from './who-decides.tsx';

const LastTime = later(
  () => import('../../decide/last-time.tsx'),
  'LastTime',
  <Skeleton lines={2} label={words.loadingChanges} />,
);

interface DetailProps {
  item: InboxItem;
  deciding: 'approve' | 'deny' | null;
  isBusy: boolean;
  refused: string | undefined;
  isOffline: boolean;
  me: string;
  onAsk: (decision: 'approve' | 'deny') => void;
  onDecide: (reason: string, intentHash?: string) => void;
  onCancel: () => void;
}

/** The selected request next to the list. People decide it here as on its own page. */
export function InboxDetail(props: DetailProps) {
  const { item } = props;
  const { data, error, refetch } = useWholeIntent(item.id);
  useReadAgain(item, refetch);
  return (
    <article className="inbox-detail card" aria-label={words.request(item.action)}>
      <Head item={item} />
      {data ? (
        <Loaded key={item.id} intent={data} {...props} />
      ) : (
        <>
          <div className="inbox-detail-body">
            <ErrorPanel error={error} onRetry={() => void refetch()} />
            {!error && <Skeleton lines={4} label={words.loadingParameters} />}
          </div>
          <footer className="inbox-detail-foot">
            <Beside item={item} isOffline={props.isOffline} />
          </footer>
        </>
      )}
    </article>
  );
}

/** Reads the request again when its row in the list changes. */
function useReadAgain(item: InboxItem, refetch: () => Promise<unknown>): void {
  const { id, status, approvals_received: received, can_decide: can, in_place: inPlace } = item;
  const now = JSON.stringify([id, status, received, can, inPlace]);
  const before = useRef({ id, now });
  useEffect(() => {
    const isOther = before.current.id === id && before.current.now !== now;
    before.current = { id, now };
    if (isOther) void refetch();
  }, [id, now, refetch]);
}

function Head({ item }: { item: InboxItem }) {
  return (
    <header className="inbox-detail-head">
      <h2>
        <InertText text={item.action} />
      </h2>
      <div className="row">
        <RiskBadge tier={item.risk_tier} isRated={item.risk_rated} />
        <ModeBadge mode={item.mode} />
        {item.proof_tier !== 'none' && item.proof_tier !== 'session' && (
          <Badge icon="passkey">{words.proofRequired[item.proof_tier]}</Badge>
        )}
        {item.status === 'pending' && (
          <span className="inbox-left">{words.left(<Countdown until={item.expires_at} />)}</span>
        )}
      </div>
    </header>
  );
}

function Loaded({ intent, ...props }: DetailProps & { intent: ShownIntent }) {
  const { item, deciding, me } = props;
  const review = useReview(intent);
  const folds = useFolds();
  const warnings = findWarnings(review, useNow(AGO_STEP_MS), useFoldedParts(folds));
  const body = useRef<HTMLDivElement>(null);
  // The request stays visible while the person decides.
  useEffect(() => {
    if (deciding !== null) body.current?.scrollTo({ top: 0 });
  }, [deciding]);
  return (
    <>
      <div className="inbox-detail-body" ref={body}>
        {item.status !== 'pending' && <End item={item} me={me} />}
        <FoldScope folds={folds}>
          <section className="inbox-whole" aria-label={words.parameters}>
            <ShownParameters review={review} />
          </section>
        </FoldScope>
        {review.check.kind === 'same' && (
          <section>
            <h3 className="small">{words.changes}</h3>
            <WhenNear key={item.id}>
              <LastTime review={review} />
            </WhenNear>
          </section>
        )}
        <FoldScope folds={folds}>
          <Explanation intent={intent} level={3} />
        </FoldScope>
        <Facts item={item} />
      </div>
      <footer className="inbox-detail-foot">
        <Foot {...props} review={review} warnings={warnings} />
      </footer>
    </>
  );
}

function End({ item, me }: { item: InboxItem; me: string }) {
  return (
    <Notice tone={item.status === 'approved' ? 'good' : item.status === 'denied' ? 'bad' : 'warn'}>
      <InertText text={capital(sayEnd(item, me))} />
      {item.resolved_at && (
        <>
          , <RelativeTime at={item.resolved_at} />
        </>
      )}
      . {item.reason && words.reason(<InertText text={item.reason} />)}
    </Notice>
  );
}

function Facts({ item }: { item: InboxItem }) {
  const key = <InertText text={item.requester.display} />;
  return (
    <dl className="facts">
      <Fact name={words.requestedBy}>
        {item.source === null || item.source === item.requester.display
          ? key
          : words.underName(key, <InertText text={item.source} />)}
        , <RelativeTime at={item.created_at} />
      </Fact>
      <Fact name={words.project}>
        <InertText text={item.project_name} />
      </Fact>
      <Fact name={words.rule}>{item.rule === null ? words.noRule : <InertText text={item.rule} />}</Fact>
      {item.approvals.length > 0 && (
        <Fact name={words.approvedBy}>
          {item.approvals.map(({ by, at }) => (
            <div key={by}>
              <InertText text={by} />, <RelativeTime at={at} />
            </div>
          ))}
        </Fact>
      )}
      {item.missing.length > 0 && (
        <Fact name={words.stillNeeded}>
          <WhoDecides item={item} />
        </Fact>
      )}
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

function Foot({
  item,
  review,
  warnings,
  deciding,
  isBusy,
  refused,
  isOffline,
  onAsk,
  onDecide,
  onCancel,
}: DetailProps & { review: Review; warnings: readonly Warning[] }) {
  if (item.status !== 'pending' || !item.in_place) {
    return (
      <>
        <Warnings warnings={warnings} />
        <Beside item={item} isOffline={isOffline} />
      </>
    );
  }
  return (
    <Deciding
      key={item.id}
      review={review}
      warnings={warnings}
      step={deciding}
      onStep={(step) => (step === null ? onCancel() : onAsk(step))}
      sending={isBusy ? deciding : null}
      problem={refused ?? null}
      isBlocked={isOffline}
      isInPlace
      restates={false}
      asksAlways
      onSend={(_decision, reason) => onDecide(reason.trim(), shownHash(review))}
      known={isOffline && <p className="small soft">{offline}</p>}
      beside={<OpenIt item={item} />}
    />
  );
}

function Beside({ item, isOffline }: { item: InboxItem; isOffline: boolean }) {
  return (
    <div className="row apart">
      <span className="small soft">{whySo(item, isOffline)}</span>
      <OpenIt item={item} />
    </div>
  );
}

function OpenIt({ item }: { item: InboxItem }) {
  const isOnlyWay = item.can_decide && !item.in_place;
  return (
    <LinkButton to={`/approve/${item.id}`} tone={isOnlyWay ? 'primary' : 'secondary'}>
      {isOnlyWay ? words.review : words.open} <KeyboardHint keys="o" />
    </LinkButton>
  );
}

function whySo(item: InboxItem, isOffline: boolean): string | null {
  if (item.status !== 'pending') return null;
  if (isOffline) return offline;
  const ownPage = sayOwnPage(item);
  if (ownPage !== null) return ownPage;
  return sayWhyNot(item.why_not);
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
