import { visibleParts } from './visible-parts.ts';

/**
 * Text that others wrote, in one line: inert, kept to its own direction, with every character one cannot see shown
 * as its name. For names, labels and reasons; never cut.
 */
export function InlineText({ text }: { text: string }) {
  return (
    <bdi>
      {visibleParts(text).map((part, place) =>
        part.kind === 'text' ? (
          part.text
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: a piece of a text has no other name than its place
          <span key={place} className="made-visible" title={part.name}>
            {part.label}
          </span>
        ),
      )}
    </bdi>
  );
}
