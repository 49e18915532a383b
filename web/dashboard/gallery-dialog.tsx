/** Begins a new template with one of the gallery. */
import { GalleryList } from '../gallery/gallery-list.tsx';
import { Button } from '../shared/button.tsx';
import { Dialog } from '../shared/dialog.tsx';
import { handOver } from '../shared/handed-over.ts';
import { go } from './route.ts';

export function GalleryDialog({ onClose }: { onClose(): void }) {
  return (
    <Dialog title="Gallery" onClose={onClose} wide>
      <p class="hint">
        Options, such as PDF/UA and form fields, are sent with each render. The playground shows those of a template.
      </p>
      <GalleryList
        onChoose={({ name, html, data }) => handOver({ name, engine: 'liquid', html, data }, '/dashboard/templates/new', go)}
      />
      <div class="actions end">
        <Button label="Close" onClick={onClose} />
      </div>
    </Dialog>
  );
}
