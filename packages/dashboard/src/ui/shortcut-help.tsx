import { Checkbox } from './checkbox.tsx';
import { Dialog } from './dialog.tsx';
import * as words from './ui.words.ts';
import { useShortcutsOn } from './use-shortcuts.ts';

/** Lists the shortcuts of a page, with the setting that turns them off everywhere. */
export function ShortcutHelp({
  open,
  keys,
  onClose,
}: {
  open: boolean;
  keys: readonly (readonly [keys: string, does: string])[];
  onClose: () => void;
}) {
  const [isOn, setOn] = useShortcutsOn();
  return (
    <Dialog open={open} title={words.shortcuts} onClose={onClose}>
      <dl className="shortcuts">
        {keys.map(([key, does]) => (
          <div key={key}>
            <dt>
              <kbd className="key">{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <Checkbox
        label={words.enableShortcuts}
        hint={words.enableShortcutsHint}
        checked={isOn}
        onChange={(event) => setOn(event.target.checked)}
      />
    </Dialog>
  );
}
