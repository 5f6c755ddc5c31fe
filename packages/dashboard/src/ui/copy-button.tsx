import { toast } from './announce.tsx';
import { Button, IconButton } from './button.tsx';

/** Copies `text` to the clipboard. With `label` it is a text button, otherwise an icon. */
export function CopyButton({ text, what, label }: { text: string; what: string; label?: string }) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      toast(`Copied ${what}.`);
    } catch {
      toast(`The browser did not let the page copy ${what}. Select it and copy it by hand.`, 'bad');
    }
  };
  if (label) {
    return (
      <Button icon="copy" onClick={copy}>
        {label}
      </Button>
    );
  }
  return <IconButton icon="copy" size="s" className="copy" label={`Copy ${what}`} onClick={copy} />;
}
