import { useMemo } from 'react';
import { InertText } from '../../../inert-text/inert-text.tsx';
import { diffLines, withContext } from '../policy/document/diff-lines.ts';
import type { UpstreamTool } from './queries.ts';
import { toReadableDefinition } from './readable-definition.ts';
import * as words from './tools.words.ts';
import './tools.css';

type Definition = NonNullable<UpstreamTool['found']>;

const SIGNS = { same: ' ', added: '+', removed: '−' } as const;

/** A tool's definition from its server, compared with the approved one if there is one. */
export function DefinitionLines({ before, after }: { before: Definition | null; after: Definition }) {
  const lines = useMemo(() => {
    const fresh = toReadableDefinition(after.content);
    if (!before) return fresh.split('\n').map((text) => ({ kind: 'same' as const, text }));
    return withContext(diffLines(toReadableDefinition(before.content), fresh), 4);
  }, [before, after]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region has to be reachable by keyboard
    <pre className="tools-definition" tabIndex={0}>
      {lines.map((line, index) => {
        const key = `${index}`;
        if (!line) return <span key={key}>⋯{'\n'}</span>;
        return (
          <span key={key} data-kind={line.kind}>
            {before && <span aria-hidden="true">{SIGNS[line.kind]} </span>}
            <span className="unseen">{words.lines[line.kind]}</span>
            <InertText text={line.text} />
            {'\n'}
          </span>
        );
      })}
    </pre>
  );
}
