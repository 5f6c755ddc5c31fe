import { InertText } from '../../inert-text/inert-text.tsx';
import * as words from './inbox-detail.words.ts';
import type { InboxItem } from './inbox-item.ts';
import { or } from './request-list.words.ts';
import { sayFrom } from './say-from.ts';

/** The approvals still needed, and who can give them. */
export function WhoDecides({ item }: { item: InboxItem }) {
  return (
    <ul className="inbox-missing">
      {item.missing.map(({ from, count, who, more }) => (
        <li key={from.join()}>
          {words.from(
            <strong>{words.moreApprovals(count)}</strong>,
            from.map((name, index) => (
              <span key={name}>
                {index > 0 && (index === from.length - 1 ? or : ', ')}
                <InertText text={sayFrom(name)} />
              </span>
            )),
          )}
          <div className="soft small">
            {who.length === 0 ? (
              words.nobodyCan
            ) : (
              <>
                {who.map((email, index) => (
                  <span key={email}>
                    {index > 0 && ', '}
                    <InertText text={email} />
                  </span>
                ))}
                {more > 0 && words.andMore(more)}
              </>
            )}
          </div>
        </li>
      ))}
    </ul>
  );
}
