import { memo } from 'react';
import { Link } from 'react-router';
import { sayWhyNot } from '../../decide/say-why-not.ts';
import { InertText } from '../../inert-text/inert-text.tsx';
import { Badge, ModeBadge, RiskBadge } from '../../ui/badge.tsx';
import { Button, LinkButton } from '../../ui/button.tsx';
import { Countdown, RelativeTime } from '../../ui/time.tsx';
import { AskedOf } from './asked-of.tsx';
import * as words from './inbox.words.ts';
import { type InboxItem, sayEnd, sayOwnPage, sayRequester } from './inbox-item.ts';
import { RequestExcerpts } from './request-excerpts.tsx';
import { or, passkey } from './request-list.words.ts';
import { sayFrom } from './say-from.ts';

export interface RowActions {
  select(id: string): void;
  check(id: string, isChecked: boolean): void;
  decide(id: string, decision: 'approve' | 'deny'): void;
}

interface RowProps {
  item: InboxItem;
  isSelected: boolean;
  isChecked: boolean;
  isLeaving: boolean;
  refused: string | undefined;
  /** The window has space for the request next to the list. */
  isWide: boolean;
  showsProject: boolean;
  /** My email address. */
  me: string;
  actions: RowActions;
}

/** One request as a row of the list. On a phone, a card with buttons. */
export const InboxRow = memo(function InboxRow(props: RowProps) {
  const { item, isSelected, isChecked, isLeaving, refused, isWide, showsProject, actions } = props;
  const isOver = item.status !== 'pending';

  return (
    <li
      className="inbox-row"
      data-id={item.id}
      data-selected={isSelected || undefined}
      data-leaving={isLeaving || undefined}
      // Runs before the link sees the click, which would open the request. Enter on the link (a click with detail 0)
      // still opens it.
      onClickCapture={(event) => {
        const onControl = event.target instanceof Element && event.target.closest('button, input, label');
        const isPlain = event.detail > 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey;
        if (isWide && !onControl && isPlain) {
          event.preventDefault();
          actions.select(item.id);
        }
      }}
    >
      <label className="inbox-check">
        <input
          type="checkbox"
          checked={isChecked}
          disabled={!item.in_place}
          onChange={(event) => actions.check(item.id, event.target.checked)}
        />
        <span className="unseen">{words.select(item.action, item.in_place)}</span>
      </label>
      <div className="inbox-what">
        <Link
          className="inbox-action reachable"
          to={`/approve/${item.id}`}
          aria-current={isSelected ? 'true' : undefined}
          onFocus={() => isWide && actions.select(item.id)}
        >
          <InertText text={item.action} />
        </Link>
        <span className="inbox-badges">
          <RiskBadge tier={item.risk_tier} isRated={item.risk_rated} />
          {item.proof_tier !== 'none' && item.proof_tier !== 'session' && (
            <Badge icon="passkey">{passkey}</Badge>
          )}
          {showsProject && item.mode === 'test' && <ModeBadge mode="test" />}
        </span>
        {!isOver && (
          <span className="inbox-left">
            <Countdown until={item.expires_at} />
          </span>
        )}
      </div>
      <div className="inbox-who small soft">
        <InertText text={sayRequester(item)} />
        {showsProject && (
          <>
            {' · '}
            <InertText text={item.project_name} />
          </>
        )}
        {' · '}
        <RelativeTime at={item.created_at} />
      </div>
      <RequestExcerpts item={item} className="inbox-params mono" />
      <RowFoot {...props} isOver={isOver} />
      {refused && !isOver && <div className="inbox-refused small">{refused}</div>}
      {!isWide && !isOver && item.in_place && (
        <div className="inbox-buttons">
          <Button tone="deny" onClick={() => actions.decide(item.id, 'deny')}>
            {words.deny}
          </Button>
          <Button tone="approve" onClick={() => actions.decide(item.id, 'approve')}>
            {words.approve}
          </Button>
        </div>
      )}
      {!isWide && !isOver && item.can_decide && !item.in_place && (
        <div className="inbox-buttons" data-single>
          <LinkButton to={`/approve/${item.id}`}>{words.review}</LinkButton>
        </div>
      )}
    </li>
  );
});

/** The state of the request: how many approvals are still needed, or how it ended. */
function RowFoot({ item, isOver, me }: RowProps & { isOver: boolean }) {
  if (isOver) {
    return (
      <div className="inbox-end" data-status={item.status}>
        <InertText text={sayEnd(item, me)} />
      </div>
    );
  }
  const { approvals_received: received, approvals_required: required, missing } = item;
  const whyNot = sayWhyNot(item.why_not);
  // The sentence before this already names the approvers that the request lists.
  const others = missing.filter(({ from }) => !from.every((name) => item.asked_of.includes(name)));
  return (
    <div className="inbox-state small soft">
      {required > 1 && <span className="tabular">{words.progress(received, required)}</span>}
      {item.can_decide ? <span className="inbox-mine">{sayOwnPage(item) ?? words.needsYou}</span> : whyNot}
      {item.asked_of.length > 0 && (
        <>
          {' '}
          <AskedOf names={item.asked_of} />
        </>
      )}
      {!item.can_decide && others.length > 0 && (
        <>
          {' '}
          {words.stillNeeded(
            others.map(({ from }, index) => (
              <span key={from.join()}>
                {index > 0 && ', '}
                <InertText text={from.map(sayFrom).join(or)} />
              </span>
            )),
          )}
        </>
      )}
    </div>
  );
}
