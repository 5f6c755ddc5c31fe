import { InertText } from '../../inert-text/inert-text.tsx';
import { Notice } from '../../ui/notice.tsx';
import type { News } from './what-changed.ts';

/** What others did while the page was open. Screen readers announce it. */
export function NewsList({ news }: { news: readonly News[] }) {
  return (
    <div role="status" aria-live="polite" className="approve-news">
      {news.map(({ tone, text, quote }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: entries are only appended
        <Notice key={index} tone={tone}>
          <span>
            <InertText text={text} />
            {quote !== null && (
              <>
                {' '}
                “<InertText text={quote} fold={400} />”
              </>
            )}
          </span>
        </Notice>
      ))}
    </div>
  );
}
