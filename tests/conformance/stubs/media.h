/* SPDX-License-Identifier: MIT */
/* Sound and video. */
#ifndef ULF_CONFORMANCE_MEDIA_H
#define ULF_CONFORMANCE_MEDIA_H

#include "device.h"

#include <linux/videodev2.h>

/* ---- sound ---- */

typedef unsigned long snd_pcm_uframes_t;

struct snd_jack {
	const char *id;
};

struct snd_soc_card {
	const char *name;
	struct {
		int power_checks, path_checks, neighbour_checks;
	} dapm_stats;
};

struct snd_soc_dapm_widget {
	const char *name;
};

enum snd_soc_dapm_direction { SND_SOC_DAPM_DIR_IN, SND_SOC_DAPM_DIR_OUT };

struct snd_soc_dapm_path {
	const char *name;
	struct snd_soc_dapm_widget *node[2];
	u32 connect:1;
};

struct snd_soc_jack {
	struct snd_jack *jack;
};

struct snd_pcm_substream {
	int stream;
};

struct snd_sof_widget {
	struct snd_soc_dapm_widget *widget;
	int use_count;
};

struct snd_sof_dev {
	struct device *dev;
};

struct snd_sof_pcm {
	struct { u32 pcm_id; } pcm;
};

struct sof_ipc_stream_posn {
	u64 host_posn, dai_posn, wallclock;
};

struct hdac_stream {
	unsigned char index;
};

/* ---- video ---- */

struct vb2_queue {
	void *owner;
	unsigned int queued_count;
	atomic_t owned_by_drv_count;
};

struct vb2_buffer {
	struct vb2_queue *vb2_queue;
	unsigned int index, type;
	u64 timestamp;
	struct { unsigned int bytesused; } planes[8];
};

struct vb2_v4l2_buffer {
	u32 flags, field, sequence;
	struct v4l2_timecode timecode;
};

struct video_device {
	int minor;
};

struct v4l2_fh {
	struct video_device *vdev;
};

struct pwc_frame_buf {
	int filled;
};

struct pwc_device {
	struct { char name[36]; } v4l2_dev;
	struct pwc_frame_buf *fill_buf;
};

struct urb {
	int status;
	u32 actual_length;
};

u64 v4l2_buffer_get_timestamp(const struct v4l2_buffer *buf);
struct vb2_v4l2_buffer *to_vb2_v4l2_buffer(struct vb2_buffer *vb);

#endif
