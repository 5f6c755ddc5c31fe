import { InertText } from '../../inert-text/inert-text.tsx';
import { type InboxItem, sayFrom } from './inbox-item.ts';

/** The approvals still needed, and who can give them. */
export function WhoDecides({ item }: { item: InboxItem }) {
  return (
    <ul className="inbox-missing">
      {item.missing.map(({ from, count, who, more }) => (
        <li key={from.join()}>
          <strong>
            {count} more {count === 1 ? 'approval' : 'approvals'}
          </strong>{' '}
          from{' '}
          {from.map((name, index) => (
            <span key={name}>
              {index > 0 && (index === from.length - 1 ? ' or ' : ', ')}
              <InertText text={sayFrom(name)} />
            </span>
          ))}
          <div className="soft small">
            {who.length === 0 ? (
              'No current member can give it.'
            ) : (
              <>
                {who.map((email, index) => (
                  <span key={email}>
                    {index > 0 && ', '}
                    <InertText text={email} />
                  </span>
                ))}
                {more > 0 && ` and ${more} more`}
              </>
            )}
          </div>
        </li>
      ))}
    </ul>
  );
}
