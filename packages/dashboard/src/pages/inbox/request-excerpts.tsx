import { ExcerptLine } from './excerpt-line.tsx';
import type { InboxItem } from './inbox-item.ts';
import { explanation as explanationLabel } from './request-list.words.ts';

/** What a row shows of a request: its parameters and the requester's explanation. */
export function RequestExcerpts({
  item: { params_preview: params, words: explanation },
  className,
}: {
  item: Pick<InboxItem, 'params_preview' | 'words'>;
  /** For the parameters. */
  className: string;
}) {
  return (
    <>
      {params.text !== '' && (
        <div className={className}>
          <ExcerptLine {...params} />
        </div>
      )}
      {explanation && (
        <div className="inbox-said small">
          <span className="soft">{explanationLabel}</span>
          <ExcerptLine {...explanation} />
        </div>
      )}
    </>
  );
}
