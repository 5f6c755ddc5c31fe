import { InertText } from '../../inert-text/inert-text.tsx';
import { type InboxItem, sayFrom } from './inbox-item.ts';

/** What is still missing, and who can give it. */
export function WhoDecides({ item }: { item: InboxItem }) {
  return (
    <ul className="inbox-missing">
      {item.missing.map(({ from, count, who, more }) => (
        <li key={from.join()}>
          <strong>{count === 1 ? 'one more' : `${count} more`}</strong> from{' '}
          {from.map((name, place) => (
            <span key={name}>
              {place > 0 && (place === from.length - 1 ? ' or ' : ', ')}
              <InertText text={sayFrom(name)} />
            </span>
          ))}
          <div className="soft small">
            {who.length === 0 ? (
              'Nobody who is a member now can give it.'
            ) : (
              <>
                {who.map((email, place) => (
                  <span key={email}>
                    {place > 0 && ', '}
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
