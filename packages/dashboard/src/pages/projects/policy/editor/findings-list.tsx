import { Icon } from '../../../../ui/icon.tsx';
import type { LocatedFinding } from '../document/locate-findings.ts';
import * as words from './editor.words.ts';

/** Every problem and warning with its position. A press moves the cursor there. */
export function FindingsList({
  findings,
  onJump,
}: {
  findings: readonly LocatedFinding[];
  onJump: (finding: LocatedFinding) => void;
}) {
  if (findings.length === 0) return null;
  return (
    <ul className="policy-findings" aria-label={words.findings}>
      {findings.map((finding, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two findings may have the same text and position
        <li key={index} data-severity={finding.severity}>
          <button type="button" onClick={() => onJump(finding)}>
            <Icon name={finding.severity === 'error' ? 'alert' : 'info'} />
            <span className="policy-finding-place tabular">
              {(finding.severity === 'error' ? words.problemAt : words.warningAt)(
                finding.line,
                finding.column,
              )}
            </span>
            <span>{finding.message}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
