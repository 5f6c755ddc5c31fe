import type { ReactNode } from 'react';
import { InertText } from '../../inert-text/inert-text.tsx';
import { Badge, ModeBadge, RiskBadge } from '../../ui/badge.tsx';
import { Button, LinkButton } from '../../ui/button.tsx';
import { KeyboardHint } from '../../ui/keyboard-hint.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Countdown, RelativeTime } from '../../ui/time.tsx';
import { DecideForm } from './decide-form.tsx';
import { ExcerptLine } from './excerpt-line.tsx';
import { type InboxItem, sayEnd, sayWhyNot } from './inbox-item.ts';
import { WhoDecides } from './who-decides.tsx';
import { WholeParams } from './whole-params.tsx';

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

/** The request that is looked at, beside the list. */
export function InboxDetail(props: DetailProps) {
  const { item, refused, me } = props;
  return (
    <article className="inbox-detail card" aria-label={`Request ${item.action}`}>
      <header className="inbox-detail-head">
        <h2>
          <InertText text={item.action} />
        </h2>
        <div className="row">
          <RiskBadge tier={item.risk_tier} />
          <ModeBadge mode={item.mode} />
          {item.proof_tier !== 'none' && item.proof_tier !== 'session' && (
            <Badge icon="passkey">takes a passkey</Badge>
          )}
          {item.status === 'pending' && (
            <span className="inbox-left">
              <Countdown until={item.expires_at} /> left
            </span>
          )}
        </div>
      </header>
      <div className="inbox-detail-body">
        {item.status !== 'pending' && (
          <Notice tone={item.status === 'approved' ? 'good' : item.status === 'denied' ? 'bad' : 'warn'}>
            <InertText text={capital(sayEnd(item, me))} />
            {item.resolved_at && (
              <>
                , <RelativeTime at={item.resolved_at} />
              </>
            )}
            .{' '}
            {item.reason && (
              <>
                Reason: <InertText text={item.reason} />
              </>
            )}
          </Notice>
        )}
        <Facts item={item} />
        {item.words && (
          <section className="inbox-words">
            <h3 className="small">In the requester’s own words, which nobody checked</h3>
            <ExcerptLine {...item.words} />
          </section>
        )}
        <section>
          <h3 className="small">What exactly</h3>
          <WholeParams intentId={item.id} />
        </section>
      </div>
      <footer className="inbox-detail-foot">
        {refused && item.status === 'pending' && <Notice tone="bad">{refused}</Notice>}
        <Foot {...props} />
      </footer>
    </article>
  );
}

function Facts({ item }: { item: InboxItem }) {
  return (
    <dl className="facts">
      <Fact name="Asked by">
        <InertText text={item.requester.display} />
        {item.source !== null && item.source !== item.requester.display && (
          <>
            {' '}
            as <InertText text={item.source} />
          </>
        )}
        , <RelativeTime at={item.created_at} />
      </Fact>
      <Fact name="Project">
        <InertText text={item.project_name} />
      </Fact>
      <Fact name="Rule">
        {item.rule === null ? 'None: without one, a person decides' : <InertText text={item.rule} />}
      </Fact>
      {item.approvals.length > 0 && (
        <Fact name="Approved by">
          {item.approvals.map(({ by, at }) => (
            <div key={by}>
              <InertText text={by} />, <RelativeTime at={at} />
            </div>
          ))}
        </Fact>
      )}
      {item.missing.length > 0 && (
        <Fact name="Missing">
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

function Foot({ item, deciding, isBusy, isOffline, onAsk, onDecide, onCancel }: DetailProps) {
  const open = (
    <LinkButton to={`/approve/${item.id}`} tone={item.can_decide && !item.in_place ? 'primary' : 'secondary'}>
      {item.can_decide && !item.in_place ? 'Open to decide' : 'Open'} <KeyboardHint keys="o" />
    </LinkButton>
  );
  if (item.status === 'pending' && item.in_place && deciding) {
    return (
      <DecideForm
        key={`${item.id} ${deciding}`}
        item={item}
        decision={deciding}
        isBusy={isBusy}
        onDecide={onDecide}
        onCancel={onCancel}
      />
    );
  }
  return (
    <div className="row apart">
      <span className="small soft">{whySo(item, isOffline)}</span>
      <div className="button-row">
        {open}
        {item.status === 'pending' && item.in_place && (
          <>
            <Button tone="deny" aria-disabled={isOffline} onClick={() => onAsk('deny')}>
              Deny <KeyboardHint keys="d" />
            </Button>
            <Button tone="approve" aria-disabled={isOffline} onClick={() => onAsk('approve')}>
              Approve <KeyboardHint keys="a" />
            </Button>
          </>
        )}
      </div>
    </div>
  );
}

function whySo(item: InboxItem, isOffline: boolean): string | null {
  if (item.status !== 'pending') return null;
  if (isOffline) return 'Nothing can be decided while you are offline.';
  if (item.can_decide && !item.in_place) return 'This weighs too much to be decided in a list.';
  return sayWhyNot(item);
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
