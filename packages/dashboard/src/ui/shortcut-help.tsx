import { Checkbox } from './checkbox.tsx';
import { Dialog } from './dialog.tsx';
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
    <Dialog open={open} title="Keyboard shortcuts" onClose={onClose}>
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
        label="Enable single-key shortcuts"
        hint="Turn them off if keys act when you do not mean them to, for instance with speech input."
        checked={isOn}
        onChange={(event) => setOn(event.target.checked)}
      />
    </Dialog>
  );
}
